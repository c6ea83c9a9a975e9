import type { EvaluatedQuery } from '@palimpsest/knowledge/evaluation';
import type { QueryOutcome } from './run-queries.ts';

/** Queries that are recorded with the results of both sides: as many that lost as that gained. */
const WITH_RESULTS = 10;

/** Numbers and ids of all queries with grades; those of the deciding source that changed most also have the results of both sides. */
export const recordedQueries = (outcomes: readonly QueryOutcome[], deciding: 'golden' | 'self'): readonly EvaluatedQuery[] => {
  const change = ({ before, after }: QueryOutcome): number => after - before;
  const ordered = outcomes.filter(({ query }) => query.source === deciding).sort((a, b) => change(a) - change(b));
  const shown = new Set([
    ...ordered.slice(0, WITH_RESULTS).filter((outcome) => change(outcome) < 0),
    ...ordered.slice(-WITH_RESULTS).filter((outcome) => change(outcome) > 0),
  ]);
  return outcomes.flatMap((outcome): EvaluatedQuery[] => {
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
};
