export { fieldsIn, filter, matches, type Filter, type Attributes, type Scalar } from '../access/filter.ts';
export { asDeclared, checkFilter, needsDeclarations, OWN_FIELDS, type DeclaredFields } from '../access/declared-fields.ts';
export { IsolationBreach, assertVisible, type Location } from '../access/assert-visible.ts';
export { conditionsOf, describeLabels, labelsFor, satisfies, type RequiredLabels } from '../access/required-labels.ts';
export { permittedScope } from '../access/permitted-scope.ts';
export {
  authorise,
  hasRole,
  isNamedByKey,
  requireAllTeams,
  requireAnyLabels,
  requireRole,
  ROLES,
  type Access,
  type Role,
  type PermittedScope,
} from '../access/access.ts';
export { givenLabels } from '../values/labels.ts';
export { checkLabels, FIELD_TYPES, fields, type Fields, type FieldType } from '../values/fields.ts';
