import type { PermittedScope } from '@palimpsest/knowledge/access';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import type { Row } from './catalog-rows.ts';

/** A condition in SQL, with the values of its parameters. */
type Condition = Readonly<{ sql: string; values: readonly string[] }>;

/**
 * Restricts a read to the permitted scopes, and in these to documents that satisfy the required labels; all reads for callers go through here.
 * Without a permitted scope it returns no rows. `labels`: the columns that must satisfy them; none for what does not belong to documents.
 */
export const inScopes = (
  alias: string,
  scopes: readonly PermittedScope[],
  labels: readonly string[],
  read: (where: string, values: readonly string[]) => Row[],
): Row[] => {
  const [first] = scopes;
  if (first === undefined) return [];
  if (scopes.some(({ tenant }) => tenant !== first.tenant)) throw new InvalidValue('scopes', 'scopes of one tenant', scopes);
  const marks = scopes.map(() => '?').join(', ');
  const { sql, values } = withLabels(scopes, labels);
  return read(`${alias}.tenant = ? AND ${alias}.scope IN (${marks})${sql}`, [first.tenant, ...scopes.map(({ scope }) => scope), ...values]);
};

/** ` AND …`, or nothing for scopes without required labels. */
export const withLabels = (scopes: readonly PermittedScope[], columns: readonly string[]): Condition => {
  const [first] = scopes;
  if (scopes.some(({ requiredLabels }) => JSON.stringify(requiredLabels) !== JSON.stringify(first?.requiredLabels)))
    throw new InvalidValue('scopes', 'scopes of one caller', scopes);
  const required = columns.flatMap((column) =>
    Object.entries(first?.requiredLabels ?? {}).map(([name, values]) => [column, name, values] as const),
  );
  return {
    sql: required.map(([column]) => ` AND json_extract(${column}, ?) IN (SELECT value FROM json_each(?))`).join(''),
    // A name has no quotation marks.
    values: required.flatMap(([, name, values]) => [`$."${name}"`, JSON.stringify(values)]),
  };
};
