export { subjectOf, type SubjectKeys, type TenantSubject } from '../ports/scope-keys.ts';
export { subjectId, subjectKey, type Sealing, type SubjectId, type SubjectKey } from '../values/subject.ts';
