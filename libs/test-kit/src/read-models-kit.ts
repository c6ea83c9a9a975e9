import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ReadModels } from '@palimpsest/knowledge/read-models';
import { position, type Position } from '@palimpsest/knowledge/values';
import type { ReadModelsUnderTest } from './read-models-under-test.ts';

const PATIENCE_MS = 60_000;
/** Long enough that a call which returns within half of it has not waited for the timeout. */
const LONG_MS = 4_000;
const SAMPLES_PER_TURN = 200;

type Sample = Readonly<{ position: Position; serving: boolean }>;

/** The progress that callers can observe while the work runs: between any two of its steps. */
const samplesDuring = async (readModels: ReadModels, work: Promise<unknown>): Promise<readonly Sample[]> => {
  const samples: Sample[] = [];
  let done = false;
  const ended = work.finally(() => (done = true));
  ended.catch(() => undefined);
  while (!done) {
    for (let i = 0; i < SAMPLES_PER_TURN && !done; i++) {
      samples.push({ position: readModels.position(), serving: readModels.serving() });
      await Promise.resolve();
    }
    await nextTurn();
  }
  await ended;
  return [...samples, { position: readModels.position(), serving: readModels.serving() }];
};

const expectNoStepBack = (samples: readonly Sample[]): void => {
  const served = samples.filter(({ serving }) => serving).map(({ position: reached }) => reached);
  expect(served.filter((reached, i) => reached < (served[i - 1] ?? reached))).toEqual([]);
};

/** The contract of `ReadModels`. */
export const describeReadModels = (name: string, open: () => Promise<ReadModelsUnderTest>): void =>
  describe(`${name} fulfils the contract of ReadModels`, () => {
    let under: ReadModelsUnderTest;
    beforeEach(async () => {
      under = await open();
    });
    afterEach(() => under.stop());

    const beyond = async (): Promise<Position> => position((await under.head()) + 1n);
    /** Starts, and waits until everything on the log is visible. */
    const caughtUp = async (): Promise<void> => {
      under.start();
      expect(await under.readModels.reached(await under.head(), PATIENCE_MS)).toBe(true);
    };
    const within = async <T>(ms: number, answer: Promise<T>): Promise<T> => {
      const started = performance.now();
      const given = await answer;
      expect(performance.now() - started).toBeLessThan(ms);
      return given;
    };

    it('serves once everything on the log is visible, not before', async () => {
      const { readModels } = under;
      const head = await under.head();
      expect([readModels.serving(), readModels.position() < head]).toEqual([false, true]);
      under.start();
      const samples = await samplesDuring(readModels, readModels.reached(head, PATIENCE_MS));
      for (const sample of samples) if (sample.serving) expect(sample.position).toBe(head);
      expect(samples.at(-1)).toEqual({ position: head, serving: true });
    });

    it('resolves at once for a position that is reached, also with an aborted signal', async () => {
      await caughtUp();
      const { readModels } = under;
      expect(await within(LONG_MS / 2, readModels.reached(readModels.position(), LONG_MS))).toBe(true);
      expect(await readModels.reached(readModels.position(), 0, AbortSignal.abort())).toBe(true);
    });

    it('resolves when a position is reached later, for every caller', async () => {
      await caughtUp();
      const next = await beyond();
      const waiting = Promise.all([under.readModels.reached(next, PATIENCE_MS), under.readModels.reached(next, PATIENCE_MS)]);
      const last = await under.append();
      expect(await waiting).toEqual([true, true]);
      expect(await under.readModels.reached(last, PATIENCE_MS)).toBe(true);
      expect(under.readModels.position()).toBe(last);
    });

    it('ends with false after the timeout, not before', async () => {
      await caughtUp();
      const started = performance.now();
      expect(await under.readModels.reached(await beyond(), 60)).toBe(false);
      // A timer can be early by up to a millisecond.
      expect(performance.now() - started).toBeGreaterThanOrEqual(58);
    });

    it('ends with false when the signal aborts, before or during the wait', async () => {
      await caughtUp();
      const next = await beyond();
      expect(await within(LONG_MS / 2, under.readModels.reached(next, LONG_MS, AbortSignal.abort()))).toBe(false);
      const abortion = new AbortController();
      const waiting = within(LONG_MS / 2, under.readModels.reached(next, LONG_MS, abortion.signal));
      const other = under.readModels.reached(next, PATIENCE_MS);
      abortion.abort();
      expect(await waiting).toBe(false);
      await under.append();
      expect(await other).toBe(true);
    });

    it('ends with false when the read models stop', async () => {
      await caughtUp();
      const next = await beyond();
      const waiting = within(LONG_MS / 2, under.readModels.reached(next, LONG_MS));
      await under.stop();
      expect(await waiting).toBe(false);
      expect(await within(LONG_MS / 2, under.readModels.reached(next, LONG_MS))).toBe(false);
    });

    it('never goes back while events are appended', async () => {
      await caughtUp();
      const appended = async (): Promise<void> => {
        for (let i = 0; i < 5; i++) await under.readModels.reached(await under.append(), PATIENCE_MS);
      };
      const samples = await samplesDuring(under.readModels, appended());
      expect(samples.every(({ serving }) => serving)).toBe(true);
      expectNoStepBack(samples);
      expect(samples.at(-1)?.position).toBe(await under.head());
    });

    it('does not serve after damage until it has reached what it had before', async () => {
      await caughtUp();
      const before = under.readModels.position();
      const repaired = async (): Promise<void> => {
        under.damage();
        for (const until = performance.now() + PATIENCE_MS; !under.readModels.serving(); await nextTurn())
          if (performance.now() > until) throw new Error('it does not serve again');
      };
      const samples = await samplesDuring(under.readModels, repaired());
      expect(samples.some(({ serving }) => !serving)).toBe(true);
      expectNoStepBack(samples);
      for (const sample of samples) if (sample.serving) expect(sample.position).toBeGreaterThanOrEqual(before);
      expect(samples.at(-1)).toEqual({ position: await under.head(), serving: true });
      expect(await under.readModels.reached(await under.append(), PATIENCE_MS)).toBe(true);
    });
  });
