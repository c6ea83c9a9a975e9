import type { CatalogReader } from '../ports/catalog/catalog-reader.ts';
import type { CatalogView, PastViews, Views } from '../ports/read-view.ts';
import type { AsOf } from '../values/as-of.ts';
import type { KnowledgeBaseId } from '../values/ids.ts';
import type { Position } from '../values/position.ts';
import type { VectorScope } from '../values/scope.ts';
import { authorise, requireAnyLabels, type Access, type PermittedScope } from './access.ts';

/** Something that a query covers and that did not exist yet at its moment. `detail`: a sentence for people. */
export type NotYet = Readonly<{ kind: 'scope' | 'knowledgeBase'; id: string; detail: string }>;

/** The moment of a query in the past. `time`: the one that the caller gave. */
export type LookedBack = Readonly<{ position: Position; time?: string; notYet: readonly NotYet[] }>;

/** Where queries of a process get their views from. */
export type ViewsInTime<View extends CatalogView> = Readonly<{ views: Views<View>; pastViews: PastViews<View> }>;

/** Without `asOf`, the live view. `scopes`, `knowledgeBases`: what the query names; default, all that the caller may read. */
export type Looking = Readonly<{
  access: Access;
  asOf?: AsOf;
  scopes?: readonly VectorScope[];
  knowledgeBases?: readonly KnowledgeBaseId[];
}>;

/**
 * Calls `use` with the live view or with that of an earlier moment. `now`: the live catalog, for a query in the past: what exists today is
 * not unknown only because it did not exist yet. What the caller may read is decided by its rights of today, which labels of then cannot
 * tell: a key that requires labels has no past.
 * @throws Forbidden for a key that requires labels; the errors of `PastViews.at`
 */
export const lookBack = async <View extends CatalogView, Result>(
  { views, pastViews }: ViewsInTime<View>,
  looking: Looking,
  use: (view: View, now?: CatalogReader) => Promise<Result>,
): Promise<Readonly<{ result: Result; asOf?: LookedBack }>> => {
  const { access, asOf } = looking;
  const live = views.live();
  if (asOf === undefined) return { result: await use(live) };
  requireAnyLabels(access);
  const scopes = await scopesOf(looking, live.catalog);
  return pastViews.at({ tenant: access.tenant, asOf, scopes }, async (view) => {
    const result = await use(view, live.catalog);
    const notYet = await missing(looking, view, live.catalog);
    return { result, asOf: { position: view.position(), ...('time' in asOf ? { time: asOf.time } : {}), notYet } };
  });
};

const readable = async ({ access }: Looking, catalog: CatalogReader): Promise<readonly PermittedScope[]> =>
  authorise(
    access,
    (await catalog.scopes(access.tenant)).map(({ scope: { scope } }) => scope),
  );

/** The scopes that are read, of those that exist today. */
const scopesOf = async (looking: Looking, now: CatalogReader): Promise<readonly VectorScope[]> => {
  const { scopes, knowledgeBases } = looking;
  const today = await readable(looking, now);
  const named = new Set<VectorScope>();
  for (const id of knowledgeBases ?? []) {
    const base = await now.knowledgeBase(today, id);
    if (base) named.add(base.scope);
  }
  const found = today.map(({ scope }) => scope).filter((scope) => scopes?.includes(scope) ?? true);
  return named.size === 0 ? found : found.filter((scope) => named.has(scope));
};

const missing = async (looking: Looking, { catalog: past, position }: CatalogView, now: CatalogReader): Promise<readonly NotYet[]> => {
  const { scopes, knowledgeBases = [] } = looking;
  const [then, today] = [await readable(looking, past), await readable(looking, now)];
  const before = (kind: NotYet['kind'], id: string): NotYet => ({
    kind,
    id,
    detail: `${NAMES[kind]} "${id}" did not exist yet at position ${position()}`,
  });
  const asked = today.filter(({ scope }) => scopes?.includes(scope) ?? true);
  const found = asked.filter(({ scope }) => !then.some((known) => known.scope === scope)).map(({ scope }) => before('scope', scope));
  for (const id of knowledgeBases)
    if (!(await past.knowledgeBase(then, id)) && (await now.knowledgeBase(today, id))) found.push(before('knowledgeBase', id));
  return found;
};

const NAMES: Readonly<Record<NotYet['kind'], string>> = { scope: 'the scope', knowledgeBase: 'the knowledge base' };
