import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { aPartition, aPosition, readable, removal, withIndex } from './index-fixture.ts';
import { lexicalHistories, putText, type LexicalIndexUnderTest } from './lexical-index-fixture.ts';
import { LexicalModel } from './lexical-index-model.ts';

const partition = aPartition();
const reader = readable(partition);
const WORDS = ['apple', 'berry', 'cedar', 'dune', 'ember', 'fjord', 'nowhere', 'apple'];

export const lexicalFrequencyPromises = (open: () => Promise<LexicalIndexUnderTest>): void => {
  it('counts the chunks with each word, after any history', () =>
    fc.assert(
      fc.asyncProperty(lexicalHistories, fc.boolean(), (calls, reopened) =>
        withIndex(open, async ({ index, reopen }) => {
          const model = new LexicalModel();
          for (const [i, writes] of calls.entries()) {
            await index.apply(partition, writes, aPosition(i + 1));
            model.apply(writes);
          }
          const asked = reopened ? await reopen() : index;
          expect(await asked.frequencies(reader, WORDS)).toEqual(WORDS.map((word) => model.frequency(word)));
        }),
      ),
      { numRuns: 20 },
    ));

  it('counts words that more chunks have than it reads at once, among many words that none has', () =>
    withIndex(open, async ({ index }) => {
      const texts = [
        ...Array.from({ length: 40 }, () => 'apple berry'),
        ...Array.from({ length: 50 }, () => 'berry cedar'),
        ...Array.from({ length: 3 }, () => 'dune'),
      ];
      await index.apply(
        partition,
        texts.map((text, n) => putText(n, text)),
        aPosition(1),
      );
      const many = Array.from({ length: 500 }, (_, n) => `none${n}`);
      const frequencies = await index.frequencies(reader, ['dune', ...many, 'cedar', 'berry', 'apple']);
      expect(frequencies).toEqual([3, ...many.map(() => 0), 50, 90, 40]);
    }));

  it('counts nothing in an empty partition, and for no words', () =>
    withIndex(open, async ({ index }) => {
      expect(await index.frequencies(reader, ['apple'])).toEqual([0]);
      await index.apply(partition, [putText(1, 'apple')], aPosition(1));
      expect(await index.frequencies(reader, [])).toEqual([]);
      await index.apply(partition, [removal(1)], aPosition(2));
      expect(await index.frequencies(reader, ['apple', 'berry'])).toEqual([0, 0]);
    }));
};
