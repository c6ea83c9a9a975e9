import type { PermittedScope } from '@palimpsest/knowledge/access';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import type { Row } from './catalog-rows.ts';

/** Restricts a read to the permitted scopes; all reads for callers go through here. Without a permitted scope it returns no rows. */
export const inScopes = (
  alias: string,
  scopes: readonly PermittedScope[],
  read: (where: string, values: readonly string[]) => Row[],
): Row[] => {
  const [first] = scopes;
  if (first === undefined) return [];
  if (scopes.some(({ tenant }) => tenant !== first.tenant)) throw new InvalidValue('scopes', 'scopes of one tenant', scopes);
  const marks = scopes.map(() => '?').join(', ');
  return read(`${alias}.tenant = ? AND ${alias}.scope IN (${marks})`, [first.tenant, ...scopes.map(({ scope }) => scope)]);
};
