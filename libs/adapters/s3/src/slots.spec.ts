import { setImmediate as turn } from 'node:timers/promises';
import { Slots } from './slots.ts';

describe('slots', () => {
  it('run at most this many calls at a time, in order, and start the next one when one ends or fails', async () => {
    const slots = new Slots(2);
    const begun: number[] = [];
    const ends = Array.from({ length: 5 }, () => Promise.withResolvers<void>());
    const calls = ends.map(({ promise }, i) => slots.run(() => (begun.push(i), promise)).catch(() => undefined));
    await turn();
    expect(begun).toEqual([0, 1]);
    ends[1]?.reject(new Error('failed'));
    await turn();
    expect(begun).toEqual([0, 1, 2]);
    for (const { resolve } of ends) resolve();
    await Promise.all(calls);
    expect(begun).toEqual([0, 1, 2, 3, 4]);
  });
});
