import { authorise, NotFound, requireRole, secondLook, type Access, type PermittedScope, type VectorScope } from '@palimpsest/knowledge';

/** The scope, for those who may take it out or bring it in. @throws Forbidden, NotFound: also for what the caller may not read */
export const transferable = (access: Access, scope: VectorScope): PermittedScope => {
  requireRole(access, 'admin');
  const [permitted] = authorise(access, [scope]);
  if (!permitted) throw new NotFound('scope', scope);
  return secondLook(access, permitted);
};
