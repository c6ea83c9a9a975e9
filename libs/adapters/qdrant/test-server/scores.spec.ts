import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { VectorPut } from '@palimpsest/knowledge/read-models';
import { embeddingVersion } from '@palimpsest/knowledge/values';
import { openQdrantVectorIndex, type QdrantVectorOptions } from '../src/index.ts';
import { embeddedScore } from '../src/vectors/embedded-score.ts';
import { aChunk, aPartition, aPosition, KEYS, readable } from '../test/fixture.ts';
import { aPrefix, QdrantUnderTest } from '../test/qdrant-under-test.ts';

const server = new QdrantUnderTest();
beforeAll(() => server.start());
afterAll(() => server.stop());

const WIDTH = 100;
const partition = aPartition();
const unit = (values: readonly number[]): Float32Array => Float32Array.from(values, (value) => value / Math.hypot(...values));
const direction = (seed: number): number[] => Array.from({ length: WIDTH }, (_, i) => Math.sin(seed * 12.9898 + i * 78.233));

/** Families of vectors that differ so little that the last bit of a rounded product may decide which is nearer. */
const puts: readonly VectorPut[] = Array.from({ length: 300 }, (_, n) => {
  const values = direction(n % 6);
  values[n % WIDTH] = (values[n % WIDTH] ?? 0) + 1e-6 * Math.floor(n / 12);
  return { write: 'put', chunkId: aChunk((n * 7919) % 300), vector: unit(values), attributes: {} };
});

/** The result of the embedded index: its own product, ties by the lower id. */
const ranked = (query: Float32Array, k: number) =>
  puts
    .map(({ chunkId, vector }) => ({ chunkId, score: embeddedScore(vector, query) }))
    .sort((a, b) => b.score - a.score || (a.chunkId < b.chunkId ? -1 : 1))
    .slice(0, k);

const withScores = async (
  scores: NonNullable<QdrantVectorOptions['scores']>,
  body: (search: (query: Float32Array, k: number) => Promise<readonly unknown[]>) => Promise<void>,
) => {
  const index = openQdrantVectorIndex({
    ...server.address,
    keys: KEYS,
    prefix: aPrefix(),
    versionOf: () => embeddingVersion(`spec:any/${WIDTH}`),
    scores,
  });
  await index.apply(partition, puts, aPosition(1));
  await body((query, k) => index.search(readable(partition), query, { k }));
  await index.dropAll();
  await index.close();
};
const queries = Array.from({ length: 12 }, (_, i) => unit(direction(i / 2).map((value, j) => value + 0.01 * Math.cos(i + j))));
const order = (hits: readonly unknown[]) => hits.map((hit) => Reflect.get(Object(hit), 'chunkId') as unknown);

describe('results that are almost equally near', () => {
  it('have the order of the embedded index, for every k', () =>
    withScores('ordered', async (search) => {
      for (const query of queries)
        for (const k of [1, 3, 10, 49, 120]) expect(order(await search(query, k))).toEqual(order(ranked(query, k)));
    }));

  it('have its scores too, bit for bit, if requested', () =>
    withScores('embedded', async (search) => {
      for (const query of queries) for (const k of [1, 10, 120]) expect(await search(query, k)).toEqual(ranked(query, k));
    }));
});
