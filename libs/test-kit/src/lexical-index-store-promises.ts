import { expect, it } from '@jest/globals';
import { partitionKey, START } from '@palimpsest/knowledge';
import { lexicalEntriesOf, putText, withLexicalIndex, type LexicalIndexUnderTest } from './lexical-index-fixture.ts';
import { aChunk, aPartition, aPosition, readable, removal } from './vector-index-fixture.ts';

const partition = aPartition();
const reader = readable(partition);

export const lexicalStorePromises = (open: () => Promise<LexicalIndexUnderTest>): void => {
  it('stands at START, with nothing in it, where a partition does not exist', () =>
    withLexicalIndex(open, async ({ index }) => {
      expect(await index.position(partition)).toBe(START);
      expect(await index.count(partition)).toBe(0);
      expect(await lexicalEntriesOf(index, partition)).toEqual([]);
      expect(await index.partitions()).toEqual([]);
      expect(index.damaged()).toEqual([]);
    }));

  it('ignores a call whose position it has passed, as a whole', () =>
    withLexicalIndex(open, async ({ index, reopen }) => {
      await index.apply(partition, [putText(1, 'apple')], aPosition(7));
      for (const late of [6, 1]) await index.apply(partition, [putText(1, 'berry'), putText(2, 'berry')], aPosition(late));
      for (const next of [async () => index, reopen]) {
        const seen = await next();
        expect([await seen.position(partition), await seen.count(partition)]).toEqual([aPosition(7), 1]);
        expect((await seen.search(reader, 'apple berry', { k: 5 })).map(({ chunkId, terms }) => [chunkId, terms])).toEqual([[aChunk(1), ['apple']]]);
      }
    }));

  it('applies a further call at the position where it stands, and the same call again', () =>
    withLexicalIndex(open, async ({ index, reopen }) => {
      const [what, gone] = [[putText(1, 'apple'), putText(2, 'berry')], [removal(2), putText(3, 'cedar')]];
      await index.apply(partition, what, aPosition(7));
      for (const call of [gone, what, gone, gone]) await index.apply(partition, call, aPosition(7));
      for (const next of [async () => index, reopen]) {
        const seen = await next();
        expect(await seen.position(partition)).toBe(aPosition(7));
        expect((await lexicalEntriesOf(seen, partition)).map(({ chunkId }) => chunkId)).toEqual([aChunk(1), aChunk(3)]);
      }
    }));

  it('moves its position with calls that write nothing', () =>
    withLexicalIndex(open, async ({ index, reopen }) => {
      await index.apply(partition, [], aPosition(3));
      await index.apply(partition, [putText(1, 'apple')], aPosition(4));
      await index.apply(partition, [], aPosition(9));
      expect(await index.position(partition)).toBe(aPosition(9));
      const again = await reopen();
      expect([await again.position(partition), await again.count(partition)]).toEqual([aPosition(9), 1]);
    }));

  it('lets the last of several writes to one chunk count', () =>
    withLexicalIndex(open, async ({ index }) => {
      const writes = [putText(1, 'apple'), removal(1), putText(1, 'berry'), putText(2, 'berry'), removal(2), removal(77)];
      await index.apply(partition, writes, aPosition(1));
      expect((await index.search(reader, 'apple berry', { k: 5 })).map(({ chunkId, terms }) => [chunkId, terms])).toEqual([[aChunk(1), ['berry']]]);
    }));

  it('keeps partitions apart: tenants, scopes whose names differ by one letter’s case, generations', () =>
    withLexicalIndex(open, async ({ index, reopen }) => {
      const all = [
        aPartition(), aPartition('platform'), aPartition('team:red'), aPartition('team:Red'), aPartition('team:RED'), aPartition('user:red'),
        aPartition('user:ann@example.org'), aPartition(`team:${'Xy'.repeat(64)}`), aPartition('team:red', { tenant: 'other' }),
        aPartition('team:red', { tenant: 'con' }), aPartition('team:red', { generation: 'g2' }), aPartition('team:red', { generation: 'g22' }),
      ];
      for (const [i, one] of all.entries()) await index.apply(one, [putText(i, 'apple'), putText(100, 'apple')], aPosition(i + 1));
      for (const next of [async () => index, reopen]) {
        const seen = await next();
        expect((await seen.partitions()).map(partitionKey).sort()).toEqual(all.map(partitionKey).sort());
        for (const [i, one] of all.entries()) {
          expect((await seen.search(readable(one), 'apple', { k: 1000 })).map(({ chunkId }) => chunkId)).toEqual([aChunk(i), aChunk(100)]);
          expect(await seen.position(one)).toBe(aPosition(i + 1));
        }
      }
    }));

  it('lists its entries in the order of chunk ids, with equal digests exactly where what was put is equal', () =>
    withLexicalIndex(open, async ({ index, reopen }) => {
      const [one, two] = [aPartition('team:one'), aPartition('team:two')];
      await index.apply(one, [putText(4, 'apple', {}, 'de'), putText(3, 'apple', { a: 1, b: 'x' }), putText(1, 'apple'), putText(2, 'apple', { a: 1 })], aPosition(1));
      await index.apply(two, [putText(2, 'apple ', { a: 1 }), putText(1, 'Apple'), putText(4, 'apple', {}, 'en')], aPosition(1));
      await index.apply(two, [putText(1, 'apple'), putText(3, 'apple', { b: 'x', a: 1 })], aPosition(2));
      const before = await lexicalEntriesOf(index, one);
      const after = await lexicalEntriesOf(await reopen(), two);
      expect(before.map(({ chunkId }) => chunkId)).toEqual([aChunk(1), aChunk(2), aChunk(3), aChunk(4)]);
      for (const { digest } of before) expect(digest).toMatch(/^[0-9a-f]{64}$/);
      expect(after.map(({ digest }, i) => digest === before[i]?.digest)).toEqual([true, false, true, false]);
      expect(new Set(before.map(({ digest }) => digest)).size).toBe(4);
    }));

  it('drops one partition and nothing else, for good; it can begin again', () =>
    withLexicalIndex(open, async ({ index, reopen }) => {
      const other = aPartition('team:other');
      for (const one of [partition, other]) await index.apply(one, [putText(1, 'apple')], aPosition(5));
      await index.drop(partition);
      for (const next of [async () => index, reopen]) {
        const seen = await next();
        expect([await seen.position(partition), await seen.count(partition), await seen.count(other)]).toEqual([START, 0, 1]);
        expect((await seen.partitions()).map(partitionKey)).toEqual([partitionKey(other)]);
        await seen.apply(partition, [putText(9, 'berry')], aPosition(1));
        expect((await seen.search(reader, 'apple berry', { k: 3 })).map(({ chunkId }) => chunkId)).toEqual([aChunk(9)]);
        await seen.drop(partition);
      }
    }));

  it('drops everything, for good', () =>
    withLexicalIndex(open, async ({ index, reopen }) => {
      for (const scope of ['team:one', 'team:two']) await index.apply(aPartition(scope), [putText(1, 'apple')], aPosition(1));
      await index.dropAll();
      for (const next of [async () => index, reopen]) {
        const seen = await next();
        expect(await seen.partitions()).toEqual([]);
        expect(await seen.position(aPartition('team:one'))).toBe(START);
      }
    }));

  it('takes calls that come before the last one is done in the order in which they came', () =>
    withLexicalIndex(open, async ({ index }) => {
      await Promise.all(Array.from({ length: 30 }, (_, i) => index.apply(partition, [putText(1, `word${i}`), putText(i + 2, 'apple')], aPosition(i + 1))));
      expect([await index.position(partition), await index.count(partition)]).toEqual([aPosition(30), 31]);
      expect((await index.search(reader, 'word28 word29', { k: 1 })).map(({ terms }) => terms)).toEqual([['word29']]);
    }));
};
