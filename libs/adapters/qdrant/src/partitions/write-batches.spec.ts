import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { batches, writeAll } from './write-batches.ts';

describe('batches', () => {
  it('hold all items in order, within the limits unless a single item exceeds them', () =>
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 50 })),
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 60 }),
        (sizes, points, bytes) => {
          const cut = batches(sizes, (size) => size, { points, bytes });
          expect(cut.flat()).toEqual(sizes);
          for (const batch of cut) {
            expect(batch.length).toBeLessThanOrEqual(points);
            if (batch.length > 1) expect(batch.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(bytes);
          }
        },
      ),
    ));
});

describe('writing batches', () => {
  it('runs two at a time', async () => {
    let [now, max] = [0, 0];
    const written: number[] = [];
    await writeAll([1, 2, 3, 4, 5], async (item) => {
      max = Math.max(max, ++now);
      await setImmediate();
      written.push(item);
      now--;
    });
    expect(written.sort()).toEqual([1, 2, 3, 4, 5]);
    expect(max).toBe(2);
  });

  it('starts none after a failure, and fails only when the concurrent one has ended', async () => {
    const begun: number[] = [];
    const ended: number[] = [];
    const all = writeAll([1, 2, 3, 4], async (item) => {
      begun.push(item);
      if (item === 1) throw new Error('the first is refused');
      for (let i = 0; i < 20; i++) await setImmediate();
      ended.push(item);
    });
    await expect(all).rejects.toThrow('the first is refused');
    expect([begun, ended]).toEqual([[1, 2], [2]]);
  });
});
