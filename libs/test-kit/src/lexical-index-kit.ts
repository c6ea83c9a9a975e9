import { describe } from '@jest/globals';
import type { LexicalIndexUnderTest } from './lexical-index-fixture.ts';
import { lexicalSearchPromises } from './lexical-index-search-promises.ts';
import { lexicalSpreadPromises } from './lexical-index-spread-promises.ts';
import { lexicalStatisticsPromises, type LexicalStatistics } from './lexical-index-statistics-promises.ts';
import { lexicalStorePromises } from './lexical-index-store-promises.ts';

/**
 * Every promise of `LexicalIndex` that does not speak of files. `open` gives an empty index each time. `statistics`: what the
 * index counts document frequencies and lengths over; all else is the same for both.
 */
export const describeLexicalIndex = (name: string, open: () => Promise<LexicalIndexUnderTest>, statistics: LexicalStatistics = 'partition'): void =>
  describe(`${name}, as a lexical index,`, () => {
    lexicalSearchPromises(open);
    lexicalStatisticsPromises(open, statistics);
    lexicalSpreadPromises(open, statistics);
    lexicalStorePromises(open);
  });
