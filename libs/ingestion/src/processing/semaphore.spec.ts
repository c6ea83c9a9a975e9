import * as fc from 'fast-check';
import { Semaphore, type Permit } from './semaphore.ts';

const NEVER = new AbortController().signal;

/** A task that runs until the test ends it. */
const aTask = (semaphore: Semaphore, signal = NEVER) => {
  let permit: Permit | undefined;
  let end: (error?: Error) => void = () => undefined;
  const ended = new Promise<void>((resolve, reject) => {
    end = (error) => (error === undefined ? resolve() : reject(error));
  });
  const over = semaphore.run(signal, async (given) => {
    permit = given;
    await ended;
  });
  over.catch(() => undefined);
  return { began: () => permit !== undefined, permit: () => permit as Permit, end, over };
};

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the semaphore', () => {
  it('limits the number of tasks in progress, and starts waiting tasks in their order', async () => {
    const semaphore = new Semaphore(2, 1);
    const tasks = [0, 1, 2, 3].map(() => aTask(semaphore));
    await settled();
    expect(tasks.map(({ began }) => began())).toEqual([true, true, false, false]);
    tasks[1]?.end();
    await settled();
    expect(tasks.map(({ began }) => began())).toEqual([true, true, true, false]);
  });

  it('starts another task when one yields, and resumes that one before waiting tasks', async () => {
    const semaphore = new Semaphore(1, 1);
    const [slow, next, last] = [aTask(semaphore), aTask(semaphore), aTask(semaphore)];
    await settled();
    slow.permit().yield();
    await settled();
    expect([next.began(), last.began()]).toEqual([true, false]);
    let back = false;
    const returned = slow
      .permit()
      .reacquire(NEVER)
      .then(() => (back = true));
    await settled();
    expect(back).toBe(false);
    next.end();
    await returned;
    expect(last.began()).toBe(false);
    slow.end();
    await settled();
    expect(last.began()).toBe(true);
  });

  it('ignores a yield when the maximum number of tasks has yielded', async () => {
    const semaphore = new Semaphore(1, 1);
    const [first, second, third] = [aTask(semaphore), aTask(semaphore), aTask(semaphore)];
    await settled();
    first.permit().yield();
    await settled();
    second.permit().yield();
    await settled();
    expect(third.began()).toBe(false);
    // It never gave its permit back, so it reacquires it immediately.
    await second.permit().reacquire(NEVER);
    first.end();
    await first.over;
    second.end();
    await settled();
    expect(third.began()).toBe(true);
  });

  it('does not start a task that was aborted while it waited', async () => {
    const semaphore = new Semaphore(1, 1);
    const leaving = new AbortController();
    const first = aTask(semaphore);
    const gone = aTask(semaphore, leaving.signal);
    const last = aTask(semaphore);
    leaving.abort(new Error('stopped'));
    await expect(gone.over).rejects.toThrow('stopped');
    first.end();
    await settled();
    expect([gone.began(), last.began()]).toEqual([false, true]);
  });

  it('releases all permits whatever the tasks do, and never exceeds its limit', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(7), fc.constantFrom('yield', 'reacquire', 'end', 'fail', 'abort')), { maxLength: 60 }),
        async (steps) => {
          const semaphore = new Semaphore(2, 2);
          const tasks = Array.from({ length: 8 }, () => {
            const leaving = new AbortController();
            return { ...aTask(semaphore, leaving.signal), leaving, yielded: false, ended: false };
          });
          await settled();
          for (const [index, step] of steps) {
            const task = tasks[index];
            if (!task?.began() || task.ended) continue;
            if (step === 'yield') [task.yielded] = [true, task.permit().yield()];
            else if (step === 'reacquire')
              void task
                .permit()
                .reacquire(task.leaving.signal)
                .catch(() => undefined);
            else {
              if (step === 'abort') task.leaving.abort(new Error('stopped'));
              task.end(step === 'end' ? undefined : new Error('it failed'));
              task.ended = true;
            }
            await settled();
            expect(tasks.filter(({ began, ended, yielded }) => began() && !ended && !yielded).length).toBeLessThanOrEqual(2);
          }
          for (const task of tasks) {
            task.leaving.abort(new Error('stopped'));
            task.end();
          }
          await settled();
          await settled();
          const again = [0, 1, 2].map(() => aTask(semaphore));
          await settled();
          expect(again.map(({ began }) => began())).toEqual([true, true, false]);
          for (const { end } of again) end();
        },
      ),
      { numRuns: 200 },
    ));
});
