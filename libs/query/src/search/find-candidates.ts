import { pooledSpread, standardScore } from '@palimpsest/knowledge';
import type { EmbeddingVersion, Filter, LexicalHit, LexicalSearch, LexicalSpread, ScoreSpread, VectorHit, VectorSearch } from '@palimpsest/knowledge';
import { byStandardThenId, EMPTY_LIST, type Candidate, type RankedList } from '../ranking/ranked-list.ts';
import { visibleCandidates, type VisibilityFilter } from './visibility-filter.ts';
import type { SearchTarget } from './search-targets.ts';

/** A candidate with the index of its scope among the searched scopes. */
export type Located<Hit> = Hit & Candidate & Readonly<{ scopeAt: number }>;

export type Wanted = Readonly<{
  searchable: readonly SearchTarget[];
  filter: Filter | undefined;
  /** Language of the query (ISO 639-1), if the caller gave it. */
  language?: string;
  /** Number of candidates to find. */
  pool: number;
  shown: VisibilityFilter;
  /** Whether standard scores are needed even if a single scope is searched, whose own scores are comparable. */
  calibrated: boolean;
}>;

/** `languages`: one per searched scope, if it was determined. */
export type LexicalCandidates = Readonly<{ list: RankedList<Located<LexicalHit>>; languages: readonly string[] }>;

/** Leaves scores as they are, when nothing has to be compared across scopes or searches. */
const UNSCALED: ScoreSpread = { count: 0, mean: 0, deviation: 1 };

/**
 * Nearest vectors over all scopes. Cosines of one model are comparable, so its scopes share one spread: a small scope has too few
 * scores for its own. Cosines of different models are not comparable, but their standard scores are.
 */
export const denseCandidates = async (vectors: VectorSearch, byVersion: ReadonlyMap<EmbeddingVersion, Float32Array>, wanted: Wanted): Promise<RankedList<Located<VectorHit>>> => {
  const searched = wanted.searchable.flatMap((one, scopeAt) => {
    const vector = byVersion.get(one.embeddingVersion);
    return vector === undefined ? [] : [{ ...one, scopeAt, vector }];
  });
  const spreads = needsSpread(wanted) ? await Promise.all(searched.map(({ partition, vector }) => vectors.spread(partition, vector))) : undefined;
  const spreadOf = new Map([...byVersion.keys()].map((version) => [version, spreads && pooledSpread(spreads.filter((_, i) => searched[i]?.embeddingVersion === version))]));
  const hits = await bestOf(wanted, searched, async ({ partition, vector, embeddingVersion }, query) => {
    const spread = spreadOf.get(embeddingVersion) ?? UNSCALED;
    return (await vectors.search(partition, vector, query)).map((hit) => ({ ...hit, standard: standardScore(hit.score, spread) }));
  });
  // A chunk that was not found is at most as near as the last one found.
  return { hits, absent: hits.at(-1)?.standard ?? 0 };
};

/**
 * Best BM25 matches over all scopes. A word is rare or frequent within its scope, so scores are compared as fractions of the maximum
 * that the query could reach there.
 */
export const lexicalCandidates = async (lexical: LexicalSearch, text: string, wanted: Wanted): Promise<LexicalCandidates> => {
  const searched = wanted.searchable.map((one, scopeAt) => ({ ...one, scopeAt }));
  if (searched.length === 0) return { list: EMPTY_LIST, languages: [] };
  const spreads = needsSpread(wanted) ? await Promise.all(searched.map(({ partition }) => lexical.spread(partition, text, wanted.language))) : undefined;
  const spread = spreads === undefined ? UNSCALED : pooledSpread(spreads.map(asFractions));
  const named = wanted.language === undefined ? {} : { language: wanted.language };
  const hits = await bestOf(wanted, searched, async ({ partition, scopeAt }, query) => {
    const attainable = spreads?.[scopeAt]?.attainable || 1;
    return (await lexical.search(partition, text, { ...query, ...named })).map((hit) => ({ ...hit, standard: standardScore(hit.score / attainable, spread) }));
  });
  return { list: { hits, absent: standardScore(0, spread) }, languages: spreads?.map(({ language }) => wanted.language ?? language) ?? [] };
};

const needsSpread = ({ calibrated, searchable }: Wanted): boolean => calibrated || searchable.length > 1;

const asFractions = ({ count, mean, deviation, attainable }: LexicalSpread): ScoreSpread =>
  attainable > 0 ? { count, mean: mean / attainable, deviation: deviation / attainable } : { count, mean: 0, deviation: 0 };

const bestOf = <Hit extends Candidate, Scope extends Readonly<{ scopeAt: number }>>(
  { pool, shown, filter }: Wanted,
  scopes: readonly Scope[],
  search: (scope: Scope, query: Readonly<{ k: number; filter?: Filter }>) => Promise<readonly Hit[]>,
): Promise<readonly Located<Hit>[]> =>
  visibleCandidates(pool, shown, async (k) => {
    const query = { k, ...(filter === undefined ? {} : { filter }) };
    const found = await Promise.all(scopes.map(async (scope) => (await search(scope, query)).map((hit) => ({ ...hit, scopeAt: scope.scopeAt }))));
    return found.flat().sort(byStandardThenId).slice(0, k);
  });
