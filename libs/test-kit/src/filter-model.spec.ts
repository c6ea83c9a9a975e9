import fc from 'fast-check';
import { matches } from '@palimpsest/knowledge/access';
import { filterCases } from './filter-model.ts';

it('finds the same documents by filter as a naive evaluator, by the types that knowledge bases declare', () => {
  const counts = { some: 0, none: 0, all: 0 };
  fc.assert(
    fc.property(filterCases, ({ documents, expected }) => {
      for (const { filter, found } of expected) {
        expect(documents.flatMap((of, n) => (matches(filter, of) ? [n] : []))).toEqual(found);
        counts[found.length === 0 ? 'none' : found.length === documents.length ? 'all' : 'some'] += 1;
      }
    }),
    { numRuns: 500 },
  );
  // The cases are worth something.
  expect(Object.values(counts).every((count) => count > 50)).toBe(true);
});
