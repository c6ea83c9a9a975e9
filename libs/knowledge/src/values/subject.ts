import { InvalidValue } from '../errors.ts';
import type { Branded } from './brand.ts';
import { LENGTHS, PATTERNS } from './value-limits.ts';
import type { TenantScope } from './scope.ts';

/** A person whom a document is about, as the tenant names them; 1-200 characters. It is personal data, and only stored sealed. */
export type SubjectId = Branded<string, 'SubjectId'>;
/** The key of a data subject: 32 random hexadecimal digits, which say nothing about the person. */
export type SubjectKey = Branded<string, 'SubjectKey'>;

/** What content is sealed for: a scope, or a data subject in it. */
export type Sealing = TenantScope & Readonly<{ subject?: SubjectKey }>;

const ID = new RegExp(`^[^\\u0000-\\u001f\\u007f\\ud800-\\udfff]{1,${LENGTHS.subjectId}}$`, 'u');
const KEY = new RegExp(PATTERNS.subjectKey);

/** @throws InvalidValue */
export const subjectId = (raw: unknown, field = 'subject'): SubjectId => {
  if (typeof raw !== 'string' || raw.trim() !== raw || !ID.test(raw))
    throw new InvalidValue(field, `1-${LENGTHS.subjectId} characters without control characters, and without spaces at the ends`, raw);
  return raw as SubjectId;
};

/** @throws InvalidValue */
export const subjectKey = (raw: unknown, field = 'subject'): SubjectKey => {
  if (typeof raw !== 'string' || !KEY.test(raw)) throw new InvalidValue(field, '32 hexadecimal digits', raw);
  return raw as SubjectKey;
};
