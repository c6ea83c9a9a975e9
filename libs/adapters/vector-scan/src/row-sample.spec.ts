import { RowLookup } from './row-lookup.ts';
import { RowMask } from './row-mask.ts';
import { RowSample } from './row-sample.ts';

const keyOf = (chunk: number): Uint32Array => Uint32Array.of(0, 0, 0, chunk);

/** A sample of rows with these chunks, in this order, all alive. */
const sampled = (chunks: readonly number[], steps: readonly number[] = [chunks.length]) => {
  const [lookup, alive] = [new RowLookup(), new RowMask()];
  const sample = new RowSample(lookup);
  let found: readonly number[] = [];
  for (const upTo of steps) {
    while (alive.rows < upTo) alive.set(lookup.append(keyOf(chunks[alive.rows] ?? 0)));
    found = sample.of(alive).list();
  }
  return { lookup, alive, sample, chunks: found.map((row) => chunks[row]).sort((a = 0, b = 0) => a - b) };
};
const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

describe('The sample of rows', () => {
  it('contains all rows when there are fewer than 1,024', () => expect(sampled(upTo(1023)).chunks).toHaveLength(1023));
  it.each([1024, 5000, 40_000])('contains about 512 to 1,024 of %d rows', (count) => {
    const { chunks } = sampled(upTo(count));
    expect(chunks.length).toBeGreaterThan(400);
    expect(chunks.length).toBeLessThan(1250);
  });
  it('contains the same chunks for any order and number of steps', () => {
    const all = upTo(9000);
    expect(sampled([...all].reverse(), [100, 3000, 4500, 9000]).chunks).toEqual(sampled(all).chunks);
  });
  it('excludes rows that are no longer alive', () => {
    const { alive, sample, chunks } = sampled(upTo(5000));
    alive.clear(chunks[0] ?? 0);
    expect(sample.of(alive).list()).toEqual(chunks.slice(1));
  });
});
