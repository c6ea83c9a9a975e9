import fc from 'fast-check';
import { matches, type Filter } from '@palimpsest/knowledge/access';
import { spreadOf, type ScoreSpread, type VectorHit, type VectorPut } from '@palimpsest/knowledge/read-models';
import { removal } from './index-fixture.ts';
import { exactVector, put, type VectorWrite } from './vector-index-fixture.ts';

/** The expected contents of a partition, in plain JavaScript. */
export class VectorModel {
  readonly #puts = new Map<string, Extract<VectorWrite, { write: 'put' }>>();

  apply(writes: readonly VectorWrite[]): void {
    for (const write of writes) {
      if (write.write === 'put') this.#puts.set(write.chunkId, write);
      else this.#puts.delete(write.chunkId);
    }
  }

  get ids(): readonly string[] {
    return [...this.#puts.keys()].sort();
  }

  spread(vector: Float32Array): ScoreSpread {
    return spreadOf(
      [...this.#puts.values()].flatMap(({ vector: first, further = [] }) => [first, ...further].map((one) => dot(one, vector))),
    );
  }

  /** All chunks that satisfy the filter, best first, ties by chunk id; scores in float64. */
  ranked(vector: Float32Array, filter?: Filter): VectorHit[] {
    return [...this.#puts.values()]
      .filter((held) => filter === undefined || matches(filter, held.attributes))
      .map((held) => ({ chunkId: held.chunkId, score: bestScore(held, vector) }))
      .sort((a, b) => b.score - a.score || (a.chunkId < b.chunkId ? -1 : 1));
  }
}

export const dot = (a: Float32Array, b: Float32Array): number => a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);

/** The best score of the chunk's vectors. */
export const bestScore = (held: VectorPut, vector: Float32Array): number =>
  Math.max(...[held.vector, ...(held.further ?? [])].map((one) => dot(one, vector)));

/** Few distinct values, so that filters match some of them and not others. */
export const attributes = fc.record(
  { language: fc.constantFrom('en', 'de', 'english'), page: fc.integer({ min: 0, max: 3 }), draft: fc.boolean() },
  { requiredKeys: [] },
);

const field = fc.constantFrom('language', 'page', 'draft', 'toString');
const scalar = fc.oneof(fc.constantFrom('en', 'de', '2'), fc.integer({ min: 0, max: 3 }), fc.boolean());
const condition: fc.Arbitrary<Filter> = fc.oneof(
  fc.record({ eq: fc.record({ field, value: scalar }) }),
  fc.record({ in: fc.record({ field, values: fc.array(scalar, { minLength: 1, maxLength: 3 }) }) }),
  fc.record({ prefix: fc.record({ field, value: fc.constantFrom('', 'en', 'd') }) }),
  fc.record({ exists: fc.record({ field }) }),
  fc.record({ range: fc.record({ field, gte: scalar }) }),
);
export const filters: fc.Arbitrary<Filter> = fc.oneof(
  condition,
  fc.record({ not: condition }),
  fc.record({ and: fc.array(condition, { minLength: 1, maxLength: 3 }) }),
  fc.record({ or: fc.array(condition, { minLength: 1, maxLength: 3 }) }),
);

/** Sixteen-dimensional vectors with exact dot products, many of them equal. */
export const patterns = fc.oneof(fc.constantFrom(0, 1, 0xffff, 0xff00), fc.integer({ min: 0, max: 0xffff }));

const write: fc.Arbitrary<VectorWrite> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.nat(40), patterns, attributes, fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, fc.array(patterns, { maxLength: 4 })))
      .map(([n, pattern, held, further]) => put(n, exactVector(pattern), held, further.map(exactVector))),
  },
  { weight: 1, arbitrary: fc.nat(40).map(removal) },
);

/** Sequential calls of `apply`. */
export const histories = fc.array(fc.array(write, { maxLength: 30 }), { minLength: 1, maxLength: 8 });
