export { fieldsIn, filter, matches, type Filter, type Attributes, type Scalar } from '../access/filter.ts';
export { IsolationBreach, assertVisible, type Location } from '../access/assert-visible.ts';
export { permittedScope } from '../access/permitted-scope.ts';
export {
  authorise,
  hasRole,
  isNamedByKey,
  requireAllTeams,
  requireRole,
  ROLES,
  type Access,
  type Role,
  type PermittedScope,
} from '../access/access.ts';
