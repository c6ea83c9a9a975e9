import fc from 'fast-check';
import { BestRows, type RankedRow } from './best-rows.ts';
import { encodeQuery } from './query-code.ts';
import { Slab } from './slab.ts';

/** The sum of the kernel, in the same order, in plain JavaScript: float64 computes products and sums of float32 exactly before rounding. */
const dot32 = (a: Float32Array, b: Float32Array): number => {
  const sums = new Float32Array(16);
  // Storing into the array rounds.
  for (let j = 0; j < a.length; j++) sums[j & 15] = (sums[j & 15] ?? 0) + Math.fround((a[j] ?? 0) * (b[j] ?? 0));
  const lane = (i: number) => Math.fround(pair(i, i + 4) + pair(i + 8, i + 12));
  const pair = (i: number, j: number) => Math.fround((sums[i] ?? 0) + (sums[j] ?? 0));
  return Math.fround(Math.fround(lane(0) + lane(1)) + Math.fround(lane(2) + lane(3)));
};

const unit = (values: ArrayLike<number>): Float32Array => {
  const length = Math.hypot(...Array.from(values));
  return Float32Array.from(values, (value, i) => (length > 1e-6 ? value / length : i === 0 ? 1 : 0));
};

/** Ids are in reverse order of the rows, so that ties ordered by row would be detected. */
const key = (row: number): Uint32Array => Uint32Array.of(7, 0xffffffff - (row % 3), 1000 - row, row);

const slabOf = (rows: readonly Float32Array[]): Slab => {
  const slab = new Slab(rows[0]?.length ?? 1);
  rows.forEach((row, i) => slab.append(key(i), new Uint8Array(row.buffer, row.byteOffset, row.byteLength)));
  return slab;
};

const idOrder = (a: number, b: number): number => {
  const [x, y] = [key(a), key(b)];
  const i = x.findIndex((word, at) => word !== y[at]);
  return i < 0 ? 0 : (x[i] ?? 0) - (y[i] ?? 0);
};

const all = (rows: number): Uint32Array => {
  const mask = new Uint32Array(2 * Math.ceil(rows / 64));
  for (let row = 0; row < rows; row++) mask[row >> 5] = (mask[row >> 5] ?? 0) | (1 << (row & 31));
  return mask;
};

/** Alternating row and score, best first. */
const flat = (ranked: readonly RankedRow[]): number[] => ranked.flatMap(({ row, score }) => [row, score]);

const scan = (slab: Slab, query: Float32Array, k: number, coarse: boolean) => {
  const best = new BestRows(k);
  const measured = slab.scan(encodeQuery(query), all(slab.rows), 0, { coarse, grouped: false }, best);
  return { measured, ranked: flat(best.ranked(idOrder)) };
};

const expected = (rows: readonly Float32Array[], query: Float32Array): number[] =>
  flat(rows.map((row, i) => ({ score: dot32(row, query), row: i })).sort((a, b) => b.score - a.score || idOrder(a.row, b.row)));

const seeded = (seed: number) => () => {
  seed = (Math.imul(seed, 1664525) + 1013904223) | 0;
  return seed / 2 ** 31;
};
const random = seeded(1);
const anything = (width: number) => unit(Float32Array.from({ length: width }, () => random() + random() + random()));
const near = (centre: Float32Array, distance: number) =>
  unit(centre.map((value) => value + (distance * (random() + random())) / Math.sqrt(centre.length)));
const axis = (width: number, i: number) => Float32Array.from({ length: width }, (_, j) => (i === j ? 1 : 0));
const many = (make: (i: number) => Float32Array, n = 200) => Array.from({ length: n }, (_, i) => make(i));

/** One value determines the scale, and all others round to the code 0: the residual has a single direction. */
const largeResidual = (steps: number, signs: Float32Array) =>
  unit(signs.map((value, j) => (j === 0 ? 1 : (Math.sign(value) * 0.49) / steps)));

const centre = anything(384);
const HOSTILE: Readonly<Record<string, readonly Float32Array[]>> = {
  'random vectors': many(() => anything(384)),
  'identical vectors': many(() => centre),
  'vectors that differ in their last bits': many(() => near(centre, 1e-6)),
  'a tight cluster': many(() => near(centre, 0.01)),
  'a cluster whose members get closer and closer': many((i) => near(centre, 1 - i / 200)),
  'pairs of opposites': many((i) => (i % 2 ? centre : centre.map((value) => -value))),
  'single axes': many((i) => axis(384, (7 * i) % 384)),
  'one large value among tiny ones': many((i) => unit(anything(384).map((value, j) => (j === i % 5 ? 1 : value * 1e-20)))),
  'almost only denormal values': many((i) => anything(384).map((value, j) => (j === i % 384 ? 1 : value * 1e-42))),
  'a few heavy dimensions': many(() => unit(anything(384).map((value, j) => (j < 3 ? 20 * value : value)))),
  'signs only': many(() => unit(anything(384).map(Math.sign))),
  'rows with relevant residuals': many((i) => largeResidual(63, i % 2 ? centre : anything(384))),
  'very wide vectors': many(() => anything(4096), 70),
  'the narrowest vectors': many((i) => Float32Array.of(i % 3 === 0 ? 1 : -1)),
  'lengths at the limits of the tolerance': many((i) => anything(384).map((value) => value * (i % 2 ? 1.00099 : 0.99901))),
};

describe('a slab', () => {
  for (const [name, rows] of Object.entries(HOSTILE)) {
    const slab = slabOf(rows);
    const width = rows[0]?.length ?? 1;
    const [one = anything(width), other = one] = [rows[17], rows[3]];
    const queries = [anything(width), one, near(other, 0.3), axis(width, 0), unit(one.map(Math.sign)), largeResidual(127, one)];

    it(`finds exactly the best rows, bit for bit and by id, with and without codes: ${name}`, () => {
      for (const query of queries) {
        const best = expected(rows, query);
        for (const k of [1, 10, 65, 1000])
          for (const coarse of [true, false]) expect(scan(slab, query, k, coarse).ranked).toEqual(best.slice(0, 2 * k));
      }
    });

    it(`never rules out a row by its codes that just reaches the required score: ${name}`, () => {
      for (const query of queries) {
        const code = encodeQuery(query);
        const missed = rows.filter((row, i) => {
          const best = holding(dot32(row, query));
          const mask = new Uint32Array(2 * Math.ceil(rows.length / 64));
          mask[i >> 5] = 1 << (i & 31);
          slab.scan(code, mask, 0, { coarse: true, grouped: false }, best);
          return best.ranked(idOrder)[0]?.row !== i;
        });
        expect(missed).toEqual([]);
      }
    });
  }

  it('finds exactly the best rows for any vectors of any width', () =>
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 130 }).chain((width) => {
          const vector = fc.array(fc.float({ min: -1, max: 1, noNaN: true }), { minLength: width, maxLength: width }).map(unit);
          return fc.tuple(fc.array(vector, { minLength: 1, maxLength: 80 }), vector);
        }),
        fc.integer({ min: 1, max: 20 }),
        fc.boolean(),
        ([rows, query], k, coarse) => expect(scan(slabOf(rows), query, k, coarse).ranked).toEqual(expected(rows, query).slice(0, 2 * k)),
      ),
      { numRuns: 60 },
    ));

  it('compares few rows in float32 when most are far from the best', () => {
    const rows = many((i) => (i % 50 === 0 ? near(centre, 0.5) : anything(384)), 2000);
    expect(scan(slabOf(rows), centre, 10, true).measured).toBeLessThan(200);
    expect(scan(slabOf(rows), centre, 10, false).measured).toBe(2000);
  });

  it('returns the bytes that were appended', () => {
    const rows = HOSTILE['almost only denormal values'] ?? [];
    const slab = slabOf(rows);
    rows.forEach((row, i) => expect(slab.vectorBytes(i)).toEqual(new Uint8Array(row.buffer)));
  });
});

/** A result that already holds one row with this score and the highest id: a row with the same score has to replace it. */
const holding = (score: number): BestRows => {
  const best = new BestRows(1);
  const entry = new DataView(new ArrayBuffer(24));
  entry.setFloat32(0, score, true);
  entry.setUint32(4, 999_999, true);
  for (let at = 8; at < 24; at += 4) entry.setUint32(at, 0xffffffff, true);
  best.replace(new Uint8Array(entry.buffer), 1);
  return best;
};
