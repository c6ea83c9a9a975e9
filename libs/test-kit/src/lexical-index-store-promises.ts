import { describe, expect, it } from '@jest/globals';
import type { LexicalIndex, LexicalPut } from '@palimpsest/knowledge/read-models';
import { aChunk, aPartition, aPosition, entriesOf, readable, withIndex } from './index-fixture.ts';
import { adoptionPromises } from './index-adoption-promises.ts';
import { indexStorePromises, type IndexStoreFixture } from './index-store-promises.ts';
import { putText, type LexicalIndexUnderTest } from './lexical-index-fixture.ts';

const fixture: IndexStoreFixture<LexicalIndex, LexicalPut> = {
  put: (number, content) => putText(number, `word${content} apple`),
  find: async (index, partition, content) =>
    (await index.search(readable(partition), `word${content}`, { k: 1000 })).map(({ chunkId }) => chunkId),
};

/** The contract of `adopt` of a lexical index. `open` returns an empty index each time. */
export const describeLexicalIndexAdoption = (name: string, open: () => Promise<LexicalIndexUnderTest>): void =>
  describe(`${name}, as a lexical index,`, () => adoptionPromises(open, fixture));

export const lexicalStorePromises = (open: () => Promise<LexicalIndexUnderTest>): void => {
  indexStorePromises<LexicalPut, LexicalIndex>(open, fixture);

  it('lists its entries by chunk id, with equal digests exactly for equal puts', () =>
    withIndex(open, async ({ index, reopen }) => {
      const [one, two] = [aPartition('team:one'), aPartition('team:two')];
      await index.apply(
        one,
        [putText(4, 'apple', {}, 'de'), putText(3, 'apple', { a: 1, b: 'x' }), putText(1, 'apple'), putText(2, 'apple', { a: 1 })],
        aPosition(1),
      );
      await index.apply(two, [putText(2, 'apple ', { a: 1 }), putText(1, 'Apple'), putText(4, 'apple', {}, 'en')], aPosition(1));
      await index.apply(two, [putText(1, 'apple'), putText(3, 'apple', { b: 'x', a: 1 })], aPosition(2));
      const before = await entriesOf(index, one);
      const after = await entriesOf(await reopen(), two);
      expect(before.map(({ chunkId }) => chunkId)).toEqual([aChunk(1), aChunk(2), aChunk(3), aChunk(4)]);
      for (const { digest } of before) expect(digest).toMatch(/^[0-9a-f]{64}$/);
      expect(after.map(({ digest }, i) => digest === before[i]?.digest)).toEqual([true, false, true, false]);
      expect(new Set(before.map(({ digest }) => digest)).size).toBe(4);
    }));
};
