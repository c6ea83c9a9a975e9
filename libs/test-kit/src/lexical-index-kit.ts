import { describe } from '@jest/globals';
import type { LexicalIndexUnderTest } from './lexical-index-fixture.ts';
import { lexicalFrequencyPromises } from './lexical-index-frequency-promises.ts';
import { lexicalSearchPromises } from './lexical-index-search-promises.ts';
import { lexicalSelectionPromises } from './lexical-index-selection-promises.ts';
import { lexicalSpreadPromises } from './lexical-index-spread-promises.ts';
import { lexicalStatisticsPromises, type LexicalStatistics } from './lexical-index-statistics-promises.ts';
import { lexicalStorePromises } from './lexical-index-store-promises.ts';

/**
 * The contract of `LexicalIndex`, except for files. `open` returns an empty index each time. `statistics`: how the
 * index weighs the length of a chunk; everything else is the same for both.
 */
export const describeLexicalIndex = (
  name: string,
  open: () => Promise<LexicalIndexUnderTest>,
  statistics: LexicalStatistics = 'measured',
): void =>
  describe(`${name}, as a lexical index,`, () => {
    lexicalSearchPromises(open);
    lexicalSelectionPromises(open);
    lexicalStatisticsPromises(open, statistics);
    lexicalFrequencyPromises(open);
    lexicalSpreadPromises(open, statistics);
    lexicalStorePromises(open);
  });
