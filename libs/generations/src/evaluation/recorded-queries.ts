import type { EvaluatedQuery } from '@palimpsest/knowledge/evaluation';
import type { QueryOutcome } from './run-queries.ts';

/** Queries that are recorded with the results of both sides: as many that lost as that gained. */
const WITH_RESULTS = 10;

/**
 * The most bytes of JSON that are recorded: sealed and in Base64, they must fit into one append with the rest of the event. That is some 3,000
 * queries. The figures of the evaluation are over all of them.
 */
const MAX_BYTES = 500_000;

/**
 * Numbers and ids of the queries with grades, of those that changed most if they are too many; those of the deciding source that changed most
 * also have the results of both sides.
 */
export const recordedQueries = (outcomes: readonly QueryOutcome[], deciding: 'golden' | 'self'): readonly EvaluatedQuery[] => {
  const change = ({ before, after }: QueryOutcome): number => after - before;
  const ordered = outcomes.filter(({ query }) => query.source === deciding).sort((a, b) => change(a) - change(b));
  const shown = new Set([
    ...ordered.slice(0, WITH_RESULTS).filter((outcome) => change(outcome) < 0),
    ...ordered.slice(-WITH_RESULTS).filter((outcome) => change(outcome) > 0),
  ]);
  const all = outcomes.flatMap((outcome): EvaluatedQuery[] => {
    const { query, before, after, rankings } = outcome;
    if (query.source === 'past') return [];
    const figures = { before, after, ...(shown.has(outcome) ? { documents: rankings as NonNullable<EvaluatedQuery['documents']> } : {}) };
    if (query.source === 'golden') {
      const { set, version, id } = query.of;
      return [{ source: 'golden', set, version, id, ...figures }];
    }
    const { chunkId, documentId, start, end } = query.of;
    return [{ source: 'self', chunkId, documentId, start, end, ...figures }];
  });
  const kept = mostChanged(all);
  return all.filter((query) => kept.has(query));
};

const mostChanged = (queries: readonly EvaluatedQuery[]): ReadonlySet<EvaluatedQuery> => {
  const weight = ({ before, after, documents }: EvaluatedQuery): number => (documents ? Infinity : Math.abs(after - before));
  const kept = new Set<EvaluatedQuery>();
  let bytes = 0;
  for (const query of queries.toSorted((a, b) => (weight(a) === weight(b) ? 0 : weight(b) - weight(a)))) {
    bytes += Buffer.byteLength(JSON.stringify(query)) + 1;
    if (bytes > MAX_BYTES) break;
    kept.add(query);
  }
  return kept;
};
