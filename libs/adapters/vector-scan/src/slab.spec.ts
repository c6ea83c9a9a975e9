import fc from 'fast-check';
import { BestRows, type RankedRow } from './best-rows.ts';
import { offerMeasured } from './exact-scores.ts';
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

const bytesOf = (row: Float32Array): Uint8Array => new Uint8Array(row.buffer, row.byteOffset, row.byteLength);

const slabOf = (rows: readonly Float32Array[]): Slab => {
  const slab = new Slab(rows[0]?.length ?? 1);
  rows.forEach((row, i) => slab.append(key(i), bytesOf(row)));
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

/** Scans, and measures the candidates as a table does, in calls of `together`. */
const scan = (slab: Slab, rows: readonly Float32Array[], query: Float32Array, k: number, together = 16) => {
  const [code, best] = [encodeQuery(query), new BestRows(k)];
  let [from, floor, measured] = [0, -Infinity, 0];
  while (from < all(slab.rows).length / 2) {
    const { upTo, candidates } = slab.scan(code, all(slab.rows), from, { k, floor, grouped: false, firstRow: 0 });
    from = upTo;
    for (let i = 0; i < candidates.length; i += together) {
      const wanted = candidates.slice(i, i + together).filter(({ atMost }) => atMost >= floor);
      floor = offerMeasured(
        code,
        wanted.map(({ row }) => ({ row, key: key(row), vector: bytesOf(rows[row] ?? query) })),
        false,
        best,
      );
      measured += wanted.length;
    }
  }
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

    it(`finds exactly the best rows, bit for bit and by id: ${name}`, () => {
      for (const query of queries) {
        const best = expected(rows, query);
        for (const k of [1, 10, 65, 1000]) expect(scan(slab, rows, query, k).ranked).toEqual(best.slice(0, 2 * k));
      }
    });

    it(`never rules out a row that just reaches the required score: ${name}`, () => {
      for (const query of queries) {
        const code = encodeQuery(query);
        const missed = rows.filter((row, i) => {
          const mask = new Uint32Array(2 * Math.ceil(rows.length / 64));
          mask[i >> 5] = 1 << (i & 31);
          const score = dot32(row, query);
          const { candidates } = slab.scan(code, mask, 0, { k: 1, floor: score, grouped: false, firstRow: 0 });
          return candidates[0]?.row !== i || candidates[0].atMost < score;
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
        fc.integer({ min: 1, max: 40 }),
        ([rows, query], k, together) =>
          expect(scan(slabOf(rows), rows, query, k, together).ranked).toEqual(expected(rows, query).slice(0, 2 * k)),
      ),
      { numRuns: 60 },
    ));

  it('leaves few candidates when most rows are far from the best', () => {
    const rows = many((i) => (i % 50 === 0 ? near(centre, 0.5) : anything(384)), 2000);
    expect(scan(slabOf(rows), rows, centre, 10).measured).toBeLessThan(60);
  });

  it('goes on where it stopped because of too many candidates', () => {
    const rows = many(() => centre, 7000);
    const slab = slabOf(rows);
    expect(slab.scan(encodeQuery(centre), all(7000), 0, { k: 10, floor: -Infinity, grouped: false, firstRow: 0 }).upTo).toBeLessThan(110);
    expect(scan(slab, rows, centre, 10)).toEqual({ measured: 7000, ranked: expected(rows, centre).slice(0, 20) });
  });
});
