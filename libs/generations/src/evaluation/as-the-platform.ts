import { permittedScope } from '@palimpsest/knowledge/access';
import type { Access, PermittedScope } from '@palimpsest/knowledge/access';
import type { TenantScope } from '@palimpsest/knowledge/values';

/** The scope of background work, which no caller asked for: exactly this scope may be read. */
export const asThePlatform = ({ tenant, scope }: TenantScope, actor: string): PermittedScope => {
  const [kind, id = ''] = scope.split(/:(.*)/s);
  const access: Access = {
    tenant,
    teams: kind === 'team' ? [id] : [],
    ...(kind === 'user' ? { user: id } : {}),
    roles: ['reader'],
    actor,
  };
  return permittedScope(access, scope);
};
