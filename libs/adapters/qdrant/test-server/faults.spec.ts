import { vectorDigest } from '@palimpsest/contracts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { setTimeout as sleep } from 'node:timers/promises';
import { Unavailable } from '@palimpsest/knowledge/errors';
import type { IndexRemoval, VectorPut } from '@palimpsest/knowledge/read-models';
import { START, type Position } from '@palimpsest/knowledge/values';
import { InMemoryVectorIndex } from '@palimpsest/test-kit';
import { openQdrantVectorIndex, type QdrantVectorIndex, type QdrantVectorOptions } from '../src/index.ts';
import { aChunk, aPartition, aPosition, aVector, entriesOf, KEYS, put, readable, removal, VERSION } from '../test/fixture.ts';
import { aPrefix, QdrantUnderTest } from '../test/qdrant-under-test.ts';

// Faults are injected into our own server, even if QDRANT_URL names a real one.
const server = new QdrantUnderTest();
beforeAll(() => server.startTestServer());
afterAll(() => server.stop());
afterEach(async () => void (await server.noFaults()));

const partition = aPartition();

const withIndex = async (
  body: (index: QdrantVectorIndex, again: () => QdrantVectorIndex) => Promise<void>,
  options: Partial<QdrantVectorOptions> = {},
): Promise<void> => {
  const prefix = aPrefix();
  const opened: QdrantVectorIndex[] = [];
  const open = (): QdrantVectorIndex => {
    const index = openQdrantVectorIndex({ ...server.address, keys: KEYS, prefix, versionOf: () => VERSION, ...options });
    opened.push(index);
    return index;
  };
  try {
    await body(open(), open);
  } finally {
    await server.noFaults();
    await opened[0]?.dropAll();
    for (const index of opened) await index.close();
  }
};

/** A call of 40 puts that replaces the writes of the previous call and removes some of them. */
const call = (n: number): (VectorPut | IndexRemoval)[] => [...Array.from({ length: 40 }, (_, i) => put(i, n + i)), removal(n % 40)];

const expected = async (calls: number): Promise<unknown> => {
  const model = new InMemoryVectorIndex();
  const held = new Map<string, VectorPut>();
  for (let n = 1; n <= calls; n++) {
    await model.apply(partition, call(n), aPosition(n));
    for (const write of call(n)) {
      if (write.write === 'put') held.set(write.chunkId, write);
      else held.delete(write.chunkId);
    }
  }
  return [...held.values()]
    .map((one) => ({ chunkId: one.chunkId, digest: vectorDigest(one) }))
    .sort((a, b) => (a.chunkId < b.chunkId ? -1 : 1));
};

describe('writes to a server that fails', () => {
  for (const mode of ['500', '503', '429', 'reset'])
    for (const when of ['before', 'after'] as const)
      it(`are all stored once when each of them meets ${mode} ${when} it is applied`, () =>
        withIndex(async (index) => {
          await index.apply(partition, call(1), aPosition(1));
          await server.fault({ fail: { count: 3, mode, when, match: 'PUT|delete' } });
          await index.apply(partition, call(2), aPosition(2));
          expect((await server.noFaults()).met).toBeGreaterThanOrEqual(3);
          expect([await index.position(partition), await entriesOf(index, partition)]).toEqual([aPosition(2), await expected(2)]);
        }));

  it('wait for a server that is down for seconds', () =>
    withIndex(async (index) => {
      await index.apply(partition, call(1), aPosition(1));
      await server.fault({ awayMs: 2_500 });
      await index.apply(partition, call(2), aPosition(2));
      expect(await entriesOf(index, partition)).toEqual(await expected(2));
    }));

  it('survive a kill and restart of the server: nothing acknowledged is lost, and interrupted writes can be repeated', () =>
    withIndex(
      async (index, again) => {
        let acknowledged = 0;
        const writing = (async () => {
          for (let n = 1; n <= 12; n++) {
            await index.apply(partition, call(n), aPosition(n));
            acknowledged = n;
          }
        })();
        for (let kill = 0; kill < 3; kill++) {
          await sleep(60);
          const before = acknowledged;
          await server.process.restart();
          expect((await again().position(partition)) >= aPosition(before)).toBe(true);
        }
        await writing;
        const other = again();
        expect([await other.position(partition), await entriesOf(other, partition)]).toEqual([aPosition(12), await expected(12)]);
      },
      { batchPoints: 10 },
    ));

  it('that their process abandoned are completed by repeating the call, and the position does not cover them until then', () =>
    withIndex(
      async (index, again) => {
        await index.apply(partition, call(1), aPosition(1));
        await server.fault({ fail: { count: 1_000, mode: '503', when: 'before', match: '_vectors-.*/delete' } });
        await expect(index.apply(partition, call(2), aPosition(2))).rejects.toBeInstanceOf(Unavailable);
        await server.noFaults();
        const next = again();
        expect(await next.position(partition)).toBe(aPosition(1));
        await next.apply(partition, call(2), aPosition(2));
        expect([await next.position(partition), await entriesOf(next, partition)]).toEqual([aPosition(2), await expected(2)]);
      },
      { writeRetryMs: 300 },
    ));

  it('wait for a server that has stopped answering, longer than the timeout of one request', () =>
    withIndex(
      async (index) => {
        await index.apply(partition, call(1), aPosition(1));
        server.process.freeze();
        const writing = index.apply(partition, call(2), aPosition(2));
        await sleep(1_200);
        server.process.thaw();
        await writing;
        expect(await entriesOf(index, partition)).toEqual(await expected(2));
      },
      { timeoutMs: 400 },
    ));
});

describe('a server that cannot be reached', () => {
  it('is Unavailable, for reads and writes, after the configured time', async () => {
    const index = openQdrantVectorIndex({
      url: 'http://127.0.0.1:9',
      keys: KEYS,
      versionOf: () => VERSION,
      readRetryMs: 200,
      writeRetryMs: 200,
    });
    const failures = await Promise.allSettled([
      index.search(readable(partition), aVector(1), { k: 1 }),
      index.position(partition),
      index.count(partition),
      index.partitions(),
      index.progress(2),
      index.apply(partition, [put(1, 1)], aPosition(1)),
      index.put(partition, [{ put: put(1, 1), at: aPosition(1) }]),
      index.drop(partition),
      index.dropAll(),
    ]);
    for (const failure of failures) expect(failure).toMatchObject({ status: 'rejected', reason: { code: 'Unavailable', retryable: true } });
    await index.close();
    await expect(index.search(readable(partition), aVector(1), { k: 1 })).rejects.toBeInstanceOf(Unavailable);
  });

  it('answers the searches that wait for it once it is back', () =>
    withIndex(async (index) => {
      await index.apply(partition, [put(1, 1)], aPosition(1));
      await server.fault({ awayMs: 1_000 });
      expect(await index.search(readable(partition), aVector(1), { k: 1 })).toEqual([{ chunkId: aChunk(1), score: 1 }]);
    }));
});

describe('an older position', () => {
  type Late = Readonly<{ process: 0 | 1; at: number; chunks: readonly number[] }>;
  const lates: fc.Arbitrary<readonly Late[]> = fc.array(
    fc.record({
      process: fc.constantFrom(0 as const, 1 as const),
      at: fc.integer({ min: 1, max: 12 }),
      chunks: fc.array(fc.nat(5), { maxLength: 4 }),
    }),
    { minLength: 1, maxLength: 10 },
  );

  it('changes nothing, whichever process writes it, and however late', () =>
    withIndex(async (one, again) => {
      const processes = [one, again()] as const;
      let run = 0;
      await fc.assert(
        fc.asyncProperty(lates, async (calls) => {
          const scope = aPartition(`team:run${run++}`);
          const model = new InMemoryVectorIndex();
          for (const { process, at, chunks } of calls) {
            const writes = chunks.map((chunk) => (at % 3 === 0 ? removal(chunk) : put(chunk, 100 * at + chunk)));
            await processes[process].apply(scope, writes, aPosition(at));
            await model.apply(scope, writes, aPosition(at));
          }
          expect(await one.position(scope)).toBe(await model.position(scope));
          expect(await one.search(readable(scope), aVector(0), { k: 50 })).toEqual(
            await model.search(readable(scope), aVector(0), { k: 50 }),
          );
        }),
        { numRuns: 12 },
      );
    }));

  it('never overwrites a newer one when two processes write at the same time', () =>
    withIndex(async (one, again) => {
      const processes = [one, again()] as const;
      const order = Array.from({ length: 24 }, (_, i) => ((i * 7) % 24) + 1);
      await Promise.all(
        order.map((at, i) => processes[i % 2 === 0 ? 0 : 1].apply(partition, [put(1, at), put(100 + at, at)], aPosition(at))),
      );
      expect(await one.position(partition)).toBe(aPosition(24));
      const [best] = await one.search(readable(partition), aVector(24), { k: 1 });
      expect(best).toEqual({ chunkId: aChunk(1), score: 1 });
    }));
});

describe('a dropped store', () => {
  it('is created again by a process that assumes it exists', () =>
    withIndex(async (one, again) => {
      await one.apply(partition, call(1), aPosition(1));
      await again().dropAll();
      expect([await one.position(partition), await one.count(partition)]).toEqual([START as Position, 0]);
      await one.apply(partition, call(1), aPosition(1));
      expect(await entriesOf(one, partition)).toEqual(await expected(1));
    }));
});
