import * as fc from 'fast-check';
import { Turns, type Turn } from './turns.ts';

const NEVER = new AbortController().signal;

/** Work that goes on until it is told to end. */
const aWork = (turns: Turns, signal = NEVER) => {
  let turn: Turn | undefined;
  let end: (error?: Error) => void = () => undefined;
  const ended = new Promise<void>((resolve, reject) => {
    end = (error) => (error === undefined ? resolve() : reject(error));
  });
  const over = turns.run(signal, async (given) => {
    turn = given;
    await ended;
  });
  over.catch(() => undefined);
  return { began: () => turn !== undefined, turn: () => turn as Turn, end, over };
};

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('turns', () => {
  it('lets so many work at a time, the others in the order in which they came', async () => {
    const turns = new Turns(2, 1);
    const works = [0, 1, 2, 3].map(() => aWork(turns));
    await settled();
    expect(works.map(({ began }) => began())).toEqual([true, true, false, false]);
    works[1]?.end();
    await settled();
    expect(works.map(({ began }) => began())).toEqual([true, true, true, false]);
  });

  it('lets another go before one that steps aside, which goes on before those who wait', async () => {
    const turns = new Turns(1, 1);
    const [slow, next, last] = [aWork(turns), aWork(turns), aWork(turns)];
    await settled();
    slow.turn().stepAside();
    await settled();
    expect([next.began(), last.began()]).toEqual([true, false]);
    let back = false;
    const returned = slow.turn().comeBack(NEVER).then(() => (back = true));
    await settled();
    expect(back).toBe(false);
    next.end();
    await returned;
    expect(last.began()).toBe(false);
    slow.end();
    await settled();
    expect(last.began()).toBe(true);
  });

  it('keeps who would step aside in its turn when as many as may are aside', async () => {
    const turns = new Turns(1, 1);
    const [first, second, third] = [aWork(turns), aWork(turns), aWork(turns)];
    await settled();
    first.turn().stepAside();
    await settled();
    second.turn().stepAside();
    await settled();
    expect(third.began()).toBe(false);
    // Who never left is back at once.
    await second.turn().comeBack(NEVER);
    first.end();
    await first.over;
    second.end();
    await settled();
    expect(third.began()).toBe(true);
  });

  it('takes nobody in who left while waiting', async () => {
    const turns = new Turns(1, 1);
    const leaving = new AbortController();
    const first = aWork(turns);
    const gone = aWork(turns, leaving.signal);
    const last = aWork(turns);
    leaving.abort(new Error('stopped'));
    await expect(gone.over).rejects.toThrow('stopped');
    first.end();
    await settled();
    expect([gone.began(), last.began()]).toEqual([false, true]);
  });

  it('gives all turns back, whatever the works did, and never has more at work than may', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.nat(7), fc.constantFrom('aside', 'back', 'end', 'fail', 'abort')), { maxLength: 60 }), async (steps) => {
        const turns = new Turns(2, 2);
        const works = Array.from({ length: 8 }, () => {
          const leaving = new AbortController();
          return { ...aWork(turns, leaving.signal), leaving, aside: false, ended: false };
        });
        await settled();
        for (const [index, step] of steps) {
          const work = works[index];
          if (!work?.began() || work.ended) continue;
          if (step === 'aside') [work.aside] = [true, work.turn().stepAside()];
          else if (step === 'back') void work.turn().comeBack(work.leaving.signal).catch(() => undefined);
          else {
            if (step === 'abort') work.leaving.abort(new Error('stopped'));
            work.end(step === 'end' ? undefined : new Error('it failed'));
            work.ended = true;
          }
          await settled();
          expect(works.filter(({ began, ended, aside }) => began() && !ended && !aside).length).toBeLessThanOrEqual(2);
        }
        for (const work of works) {
          work.leaving.abort(new Error('stopped'));
          work.end();
        }
        await settled();
        await settled();
        const again = [0, 1, 2].map(() => aWork(turns));
        await settled();
        expect(again.map(({ began }) => began())).toEqual([true, true, false]);
        for (const { end } of again) end();
      }),
      { numRuns: 200 },
    ));
});
