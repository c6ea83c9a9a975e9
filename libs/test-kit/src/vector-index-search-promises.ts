import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isSelectedBy, selectionIds } from '@palimpsest/contracts';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import { filterCases } from './filter-model.ts';
import { aChunk, aPartition, aPosition, readable, removal, withIndex } from './index-fixture.ts';
import { exactVector, put, unitVector, type VectorIndexUnderTest } from './vector-index-fixture.ts';
import { filters, histories, patterns, VectorModel } from './vector-index-model.ts';

const partition = aPartition();
const reader = readable(partition);

export const searchPromises = (open: () => Promise<VectorIndexUnderTest>): void => {
  it('returns exactly the k best after any history, and breaks ties by chunk id', () =>
    fc.assert(
      fc.asyncProperty(histories, patterns, fc.integer({ min: 1, max: 50 }), fc.boolean(), (calls, pattern, k, reopened) =>
        withIndex(open, async ({ index, reopen }) => {
          const model = new VectorModel();
          for (const [i, writes] of calls.entries()) {
            await index.apply(partition, writes, aPosition(i + 1));
            model.apply(writes);
          }
          const searched = reopened ? await reopen() : index;
          const vector = exactVector(pattern);
          if (calls.flat().some(({ write }) => write === 'put'))
            expect(await searched.search(reader, vector, { k })).toEqual(model.ranked(vector).slice(0, k));
          expect(await searched.count(partition)).toBe(model.ids.length);
        }),
      ),
      { numRuns: 25 },
    ));

  it('returns exactly the k best of those that satisfy a filter', () =>
    fc.assert(
      fc.asyncProperty(histories, patterns, fc.array(filters, { minLength: 1, maxLength: 5 }), (calls, pattern, asked) =>
        withIndex(open, async ({ index }) => {
          const model = new VectorModel();
          const writes = [put(99, exactVector(0)), ...calls.flat()];
          await index.apply(partition, writes, aPosition(1));
          model.apply(writes);
          const vector = exactVector(pattern);
          for (const filter of asked)
            expect(await index.search(reader, vector, { k: 7, filter })).toEqual(model.ranked(vector, filter).slice(0, 7));
        }),
      ),
      { numRuns: 25 },
    ));

  it('returns exactly the k best of selected chunks, also with a filter', () =>
    fc.assert(
      fc.asyncProperty(
        histories,
        patterns,
        fc.uniqueArray(fc.oneof(fc.nat(60), fc.constant(99))),
        fc.boolean(),
        fc.option(filters, { nil: undefined }),
        (calls, pattern, numbers, isOnly, filter) =>
          withIndex(open, async ({ index }) => {
            const model = new VectorModel();
            const writes = [put(99, exactVector(0), {}, [exactVector(5)]), ...calls.flat()];
            await index.apply(partition, writes, aPosition(1));
            model.apply(writes);
            const ids = selectionIds(numbers.map(aChunk));
            const chunks = isOnly ? { only: ids } : { except: ids };
            const isSelected = isSelectedBy(chunks);
            const vector = exactVector(pattern);
            const expected = model.ranked(vector, filter).filter(({ chunkId }) => isSelected(chunkId));
            expect(await index.search(reader, vector, { k: 7, chunks, ...(filter === undefined ? {} : { filter }) })).toEqual(
              expected.slice(0, 7),
            );
          }),
      ),
      { numRuns: 25 },
    ));

  it('finds exactly what satisfies a filter, by the types that knowledge bases declare', () =>
    fc.assert(
      fc.asyncProperty(filterCases, ({ documents, expected }) =>
        withIndex(open, async ({ index }) => {
          const writes = documents.map((of, n) => put(n, exactVector(n * 37), of));
          await index.apply(partition, writes, aPosition(1));
          for (const { filter, found } of expected) {
            const hits = await index.search(reader, exactVector(1), { k: documents.length, filter });
            expect(hits.map(({ chunkId }) => chunkId).sort()).toEqual(found.map(aChunk));
          }
        }),
      ),
      { numRuns: 50 },
    ));

  it('scores unit vectors of any width like plain arithmetic, and omits no better hit', () =>
    fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 70 }).chain((width) => {
          const vectors = fc.array(fc.float({ min: -1, max: 1, noNaN: true }), { minLength: width, maxLength: width }).map(unitVector);
          return fc.tuple(fc.array(vectors, { minLength: 1, maxLength: 60 }), vectors);
        }),
        fc.integer({ min: 1, max: 20 }),
        ([vectors, query], k) =>
          withIndex(open, async ({ index }) => {
            const writes = vectors.map((vector, i) => put(i, vector));
            await index.apply(partition, writes, aPosition(1));
            const model = new VectorModel();
            model.apply(writes);
            const hits = await index.search(reader, query, { k });
            const expected = model.ranked(query);
            expect(hits).toHaveLength(Math.min(k, vectors.length));
            for (const [i, hit] of hits.entries()) {
              expect(hit.score).toBeCloseTo(expected[i]?.score ?? NaN, 5);
              expect(hit.score).toBeCloseTo(expected.find(({ chunkId }) => chunkId === hit.chunkId)?.score ?? NaN, 5);
            }
            expect(new Set(hits.map(({ chunkId }) => chunkId)).size).toBe(hits.length);
          }),
      ),
      { numRuns: 25 },
    ));

  it('scores a chunk by the best of its vectors, and counts it once', () =>
    withIndex(open, async ({ index, reopen }) => {
      const [near, far, farther] = [0xffff, 0x00ff, 0x0000].map(exactVector) as [Float32Array, Float32Array, Float32Array];
      await index.apply(
        partition,
        [put(1, farther, {}, [near, far]), put(2, far), put(3, farther, {}, [far]), put(4, farther)],
        aPosition(1),
      );
      for (const next of [async () => index, reopen]) {
        const seen = await next();
        const hits = (k: number) => seen.search(reader, near, { k });
        const all = [
          { chunkId: aChunk(1), score: 1 },
          { chunkId: aChunk(2), score: 0 },
          { chunkId: aChunk(3), score: 0 },
          { chunkId: aChunk(4), score: -1 },
        ];
        expect([await hits(10), await hits(3), await hits(1)]).toEqual([all, all.slice(0, 3), all.slice(0, 1)]);
        expect(await seen.count(partition)).toBe(4);
      }
    }));

  it('finds k chunks even if each of the best has more than k vectors', () =>
    withIndex(open, async ({ index }) => {
      const many = Array.from({ length: 60 }, () => exactVector(1));
      const crowd = Array.from({ length: 30 }, (_, n) => put(n, exactVector(1), {}, many));
      await index.apply(partition, [...crowd, put(50, exactVector(3)), put(51, exactVector(7))], aPosition(1));
      const found = await index.search(reader, exactVector(1), { k: 32 });
      expect(found.map(({ chunkId }) => chunkId)).toEqual([...crowd.map(({ chunkId }) => chunkId), aChunk(50), aChunk(51)]);
    }));

  it('returns bit-identical hits and scores for equal contents, regardless of their history', () =>
    withIndex(open, async ({ index, reopen }) => {
      const [direct, winding] = [aPartition('team:direct'), aPartition('team:winding')];
      const vector = (n: number) => unitVector(Array.from({ length: 37 }, (_, i) => Math.sin(n * 12.9898 + i * 78.233)));
      await index.apply(
        direct,
        Array.from({ length: 300 }, (_, n) => put(n, vector(n % 250))),
        aPosition(1),
      );
      for (let call = 1; call <= 10; call++) {
        const numbers = Array.from({ length: 30 }, (_, i) => 300 - 30 * call + i);
        await index.apply(
          winding,
          numbers.map((n) => put(n, vector(n + 7))),
          aPosition(3 * call),
        );
        await index.apply(winding, [...numbers.filter((n) => n % 2 === 0).map(removal), put(999, vector(call))], aPosition(3 * call + 1));
        await index.apply(winding, [...numbers.map((n) => put(n, vector(n % 250))), removal(999)], aPosition(3 * call + 2));
      }
      const queries = Array.from({ length: 10 }, (_, i) => vector(1000 + i));
      const answers = async (which = index) =>
        Promise.all([direct, winding].map((one) => Promise.all(queries.map((query) => which.search(readable(one), query, { k: 20 })))));
      const [straight, roundabout] = await answers();
      expect(roundabout).toEqual(straight);
      expect(await answers(await reopen())).toEqual([straight, straight]);
    }));

  it('never shows part of a call to a concurrent search', () =>
    withIndex(open, async ({ index }) => {
      const version = (pattern: number) => Array.from({ length: 40 }, (_, n) => put(n, exactVector(pattern)));
      await index.apply(partition, version(0), aPosition(1));
      const writing = (async () => {
        for (let call = 2; call <= 20; call++) await index.apply(partition, version(call % 2 === 0 ? 0xffff : 0), aPosition(call));
      })();
      for (let i = 0; i < 40; i++) {
        const scores = new Set((await index.search(reader, exactVector(0), { k: 100 })).map(({ score }) => score));
        expect([[1], [-1]]).toContainEqual([...scores]);
      }
      await writing;
    }));

  it('returns nothing for a missing or an empty partition', () =>
    withIndex(open, async ({ index }) => {
      expect(await index.search(reader, exactVector(1), { k: 5 })).toEqual([]);
      await index.apply(partition, [put(1, exactVector(1))], aPosition(1));
      await index.apply(partition, [removal(1)], aPosition(2));
      expect(await index.search(reader, exactVector(1), { k: 5 })).toEqual([]);
    }));

  it('rejects an invalid query: a k outside 1-1000, another width, a vector whose length is not 1', () =>
    withIndex(open, async ({ index }) => {
      await index.apply(partition, [put(1, exactVector(1))], aPosition(1));
      for (const k of [0, -1, 1.5, 1001, NaN])
        await expect(index.search(reader, exactVector(1), { k })).rejects.toBeInstanceOf(InvalidValue);
      for (const vector of [unitVector([1, 2, 3]), new Float32Array(16), new Float32Array(16).fill(NaN)])
        await expect(index.search(reader, vector, { k: 1 })).rejects.toBeInstanceOf(InvalidValue);
      expect(await index.search(reader, exactVector(1), { k: 1000 })).toEqual([{ chunkId: aChunk(1), score: 1 }]);
    }));
};
