import fc from 'fast-check';
import { RowMask } from './row-mask.ts';

describe('a row mask', () => {
  it('contains exactly the rows that are set, and copies only the rows that match', () =>
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(300), fc.boolean())), (steps) => {
        const mask = new RowMask();
        const expected = new Set<number>();
        for (const [row, on] of steps) {
          if (on) mask.set(row);
          else mask.clear(row);
          if (on) expected.add(row);
          else expected.delete(row);
        }
        const rows = [...expected].sort((a, b) => a - b);
        const even = mask.filtered((row) => row % 2 === 0);
        mask.set(1);
        expect([mask.copy().list(), even.list()]).toEqual([
          [...new Set([...rows, 1])].sort((a, b) => a - b),
          rows.filter((row) => row % 2 === 0),
        ]);
        expect(even.count).toBe(even.list().length);
      }),
    ));

  it('returns its words in groups of 64 rows', () => {
    const mask = new RowMask();
    for (const row of [0, 63, 64, 130]) mask.set(row);
    expect([mask.words(0, 64), mask.words(64, 64), mask.words(128, 128)].map((words) => [...words])).toEqual([
      [1, 0x80000000],
      [1, 0],
      [4, 0],
    ]);
  });
});
