import type { QueryOutcome } from './run-queries.ts';
import { scoreFloors } from './score-floors.ts';

/** Outcomes of queries whose documents have these scores on both sides. */
const outcomes = (source: 'golden' | 'self' | 'past', count: number, before: readonly number[], after: readonly number[]) =>
  Array.from({ length: count }, () => ({ query: { source }, scores: { before, after } }) as unknown as QueryOutcome);

describe('the score floors of an evaluation', () => {
  it('come from queries of people if there are enough, otherwise from passages', () => {
    const passages = outcomes('self', 60, [0.92, 0.84], [0.72, 0.64]);
    const people = [...outcomes('golden', 20, [0.52, 0.31], [0.22, 0.11]), ...outcomes('past', 30, [0.52, 0.31], [0.22, 0.11])];
    expect(scoreFloors([...passages, ...people])).toEqual({
      ...{ basis: 'people', queries: 50 },
      floors: [0.35, 0.4, 0.45, 0.5].map((floor) => ({ before: floor, after: 0.22, share: 0.5, results: 50 })),
    });
    expect(scoreFloors([...passages, ...people.slice(1)])).toEqual({
      ...{ basis: 'passages', queries: 60 },
      floors: [0.85, 0.9].map((floor) => ({ before: floor, after: 0.72, share: 0.5, results: 60 })),
    });
  });

  it('are missing with too few queries', () => {
    expect(scoreFloors([...outcomes('self', 49, [0.9, 0.8], [0.7, 0.6]), ...outcomes('past', 49, [0.9, 0.8], [0.7, 0.6])])).toBeUndefined();
    expect(scoreFloors([])).toBeUndefined();
  });
});
