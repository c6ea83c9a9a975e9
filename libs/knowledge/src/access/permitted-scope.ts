import { NotFound } from '../errors.ts';
import type { VectorScope } from '../values/scope.ts';
import { authorise, type Access, type PermittedScope } from './access.ts';
import { assertVisible } from './assert-visible.ts';

/** The scope that a caller names, for reading. @throws NotFound, also for a scope that exists and that the caller may not read */
export const permittedScope = (access: Access, scope: VectorScope): PermittedScope => {
  const [permitted] = authorise(access, [scope]);
  if (!permitted) throw new NotFound('scope', scope);
  return assertVisible(access, permitted);
};
