import { authorise, requireRole, assertVisible, type Access, type PermittedScope } from '@palimpsest/knowledge/access';
import { NotFound } from '@palimpsest/knowledge/errors';
import type { VectorScope } from '@palimpsest/knowledge/values';

/** Returns the scope if the caller may export and import it. @throws Forbidden; NotFound, also for a scope that the caller may not read */
export const transferable = (access: Access, scope: VectorScope): PermittedScope => {
  requireRole(access, 'admin');
  const [permitted] = authorise(access, [scope]);
  if (!permitted) throw new NotFound('scope', scope);
  return assertVisible(access, permitted);
};
