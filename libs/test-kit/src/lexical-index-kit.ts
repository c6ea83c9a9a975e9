import { describe } from '@jest/globals';
import type { LexicalIndexUnderTest } from './lexical-index-fixture.ts';
import { lexicalSearchPromises } from './lexical-index-search-promises.ts';
import { lexicalStorePromises } from './lexical-index-store-promises.ts';

/** Every promise of `LexicalIndex` that does not speak of files. `open` gives an empty index each time. */
export const describeLexicalIndex = (name: string, open: () => Promise<LexicalIndexUnderTest>): void =>
  describe(`${name}, as a lexical index,`, () => {
    lexicalSearchPromises(open);
    lexicalStorePromises(open);
  });
