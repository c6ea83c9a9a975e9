import { authorise, NotFound, requireRole, assertVisible, type Access, type PermittedScope, type VectorScope } from '@palimpsest/knowledge';

/** Returns the scope if the caller may export and import it. @throws Forbidden; NotFound, also for a scope that the caller may not read */
export const transferable = (access: Access, scope: VectorScope): PermittedScope => {
  requireRole(access, 'admin');
  const [permitted] = authorise(access, [scope]);
  if (!permitted) throw new NotFound('scope', scope);
  return assertVisible(access, permitted);
};
