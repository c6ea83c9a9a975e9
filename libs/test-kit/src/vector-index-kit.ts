import { describe } from '@jest/globals';
import type { VectorIndexUnderTest } from './vector-index-fixture.ts';
import { searchPromises } from './vector-index-search-promises.ts';
import { vectorSpreadPromises } from './vector-index-spread-promises.ts';
import { storePromises } from './vector-index-store-promises.ts';

/** The contract of `VectorIndex`, except for files. `open` returns an empty index each time. */
export const describeVectorIndex = (name: string, open: () => Promise<VectorIndexUnderTest>): void =>
  describe(`${name}, as a vector index,`, () => {
    searchPromises(open);
    vectorSpreadPromises(open);
    storePromises(open);
  });
