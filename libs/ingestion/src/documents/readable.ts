import { authorise, type Access, type PermittedScope } from '@palimpsest/knowledge/access';
import type { CatalogReader } from '@palimpsest/knowledge/read-models';

/** A catalog, and its scopes that the caller may read. */
export type Readable = Readonly<{ catalog: CatalogReader; scopes: readonly PermittedScope[] }>;

export const readable = async (access: Access, catalog: CatalogReader): Promise<Readable> => ({
  catalog,
  scopes: authorise(
    access,
    (await catalog.scopes(access.tenant)).map(({ scope: { scope } }) => scope),
  ),
});
