import * as fc from 'fast-check';
import { ConcurrencyLimiter, type Admitted, type ConcurrencyLimit, type Later, type Refusal } from './concurrency-limiter.ts';
import { LoadShedder } from './load-shedder.ts';

const LIMIT: ConcurrencyLimit = { concurrent: 2, waiting: 2, bytes: 100 };
const FOREVER_MS = 60_000;

/** A load shedder that records which requests it admitted and refused. */
const aLoadShedder = (
  limit: Partial<ConcurrencyLimit> = {},
  waitMs = FOREVER_MS,
  onRefused?: ConstructorParameters<typeof LoadShedder>[1],
  later: Later = (work) => work(),
) => {
  const one = { ...LIMIT, ...limit };
  const loadShedder = new LoadShedder({ waitMs, search: one, write: one, read: one }, onRefused, later);
  const admitted: Admitted[] = [];
  const refused: Refusal[] = [];
  const request = (bytes = 0): (() => void) =>
    loadShedder.acquire(
      'search',
      bytes,
      (one) => void admitted.push(one),
      (refusal) => void refused.push(refusal),
    );
  return { loadShedder, admitted, refused, request, search: () => loadShedder.figures().search };
};

describe('the load shedder of a process', () => {
  it('admits requests up to the limit, queues a few, and refuses the rest immediately', () => {
    const setup = aLoadShedder();
    for (let i = 0; i < 7; i++) setup.request();
    expect([setup.admitted.length, setup.refused.length]).toEqual([2, 3]);
    expect(setup.search()).toEqual({ active: 2, waiting: 2, refused: 3 });
    for (const { retryAfterSeconds, reason } of setup.refused) {
      expect(retryAfterSeconds).toBeGreaterThanOrEqual(1);
      expect(reason).toBe('too many requests of this kind are in progress or waiting');
    }
    for (const { done } of setup.admitted.slice()) done();
    for (const { done } of setup.admitted.slice()) done();
  });

  it('admits one request per tick, so that the others are queued or refused before the first is done', () => {
    const ticks: (() => void)[] = [];
    const setup = aLoadShedder({}, FOREVER_MS, undefined, (work) => void ticks.push(work));
    const cancels = Array.from({ length: 7 }, () => setup.request());
    expect([setup.admitted.length, setup.search().waiting, setup.refused.length]).toEqual([0, 4, 3]);
    ticks.shift()?.();
    expect([setup.admitted.length, setup.search().waiting, ticks.length]).toEqual([1, 3, 1]);
    ticks.shift()?.();
    expect([setup.admitted.length, setup.search().waiting, ticks.length]).toEqual([2, 2, 0]);
    for (const cancel of cancels) cancel();
    expect(setup.search().waiting).toBe(0);
  });

  it('gives a free slot to the request that has waited longest, once', () => {
    const setup = aLoadShedder({ concurrent: 1 });
    setup.request();
    setup.request();
    setup.admitted[0]?.done();
    setup.admitted[0]?.done();
    expect(setup.admitted).toHaveLength(2);
    expect(setup.search()).toMatchObject({ active: 1, waiting: 0 });
  });

  it('removes a request that is cancelled while it waits', () => {
    const setup = aLoadShedder({ concurrent: 1 });
    setup.request();
    const cancel = setup.request();
    cancel();
    setup.admitted[0]?.done();
    expect(setup.admitted).toHaveLength(1);
    expect(setup.search()).toEqual({ active: 0, waiting: 0, refused: 0 });
  });

  it('refuses a request that has waited too long', async () => {
    const setup = aLoadShedder({ concurrent: 1 }, 1);
    setup.request();
    await new Promise<void>(
      (resolve) =>
        void setup.loadShedder.acquire(
          'search',
          0,
          () => undefined,
          ({ reason }) => {
            expect(reason).toMatch(/waited 1 ms/);
            resolve();
          },
        ),
    );
    expect(setup.search()).toEqual({ active: 1, waiting: 0, refused: 1 });
  });

  it('shortens the maximum wait while the queue stays non-empty, and restores it when the queue was empty', async () => {
    let now = 0;
    const limiter = new ConcurrencyLimiter(
      { ...LIMIT, concurrent: 1 },
      100,
      (work) => work(),
      () => now,
    );
    const request = (): Promise<string> =>
      new Promise(
        (resolve) =>
          void limiter.acquire(
            0,
            () => resolve('admitted'),
            ({ reason }) => resolve(reason),
          ),
      );
    const inProgress = await new Promise<Admitted>((resolve) => void limiter.acquire(0, resolve, () => undefined));
    const first = request();
    now = 101;
    expect(await request()).toMatch(/waited 10 ms/);
    expect(await first).toMatch(/waited 100 ms/);
    expect(await request()).toMatch(/waited 100 ms/);
    const last = request();
    inProgress.done();
    expect(await last).toBe('admitted');
  });

  it('limits the total size of bodies, but admits a single larger one', () => {
    const setup = aLoadShedder({ concurrent: 10, waiting: 10 });
    setup.request(1_000);
    setup.request(1);
    expect(setup.search()).toMatchObject({ active: 1, waiting: 1 });
    setup.admitted[0]?.done();
    expect(setup.search()).toMatchObject({ active: 1, waiting: 0 });
  });

  it('limits each kind of work separately', () => {
    const setup = aLoadShedder({ concurrent: 1, waiting: 0 });
    setup.request();
    let isAdmitted = false;
    setup.loadShedder.acquire(
      'write',
      0,
      () => (isAdmitted = true),
      () => undefined,
    );
    expect(isAdmitted).toBe(true);
  });

  it('reports the first refusal, not each of them', () => {
    const reported: unknown[] = [];
    const setup = aLoadShedder({ concurrent: 1, waiting: 0 }, FOREVER_MS, (refused) => reported.push(refused));
    for (let i = 0; i < 5; i++) setup.request();
    expect(reported).toEqual([{ search: 1, write: 0, read: 0 }]);
  });

  it('never exceeds its limits, loses no request, and is empty in the end', () =>
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.nat(150).map((bytes) => ({ bytes })),
            fc.constant('done' as const),
            fc.constant('cancel' as const),
          ),
          { maxLength: 60 },
        ),
        (steps) => {
          const setup = aLoadShedder();
          const waiting: (() => void)[] = [];
          let arrived = 0;
          let cancelled = 0;
          for (const step of steps) {
            if (step === 'done') setup.admitted.shift()?.done();
            else if (step === 'cancel') {
              const before = setup.search().waiting;
              waiting.pop()?.();
              if (setup.search().waiting < before) cancelled++;
            } else {
              arrived++;
              const before = setup.search().waiting;
              const cancel = setup.request(step.bytes);
              if (setup.search().waiting > before) waiting.push(cancel);
            }
            expect(setup.search().active).toBeLessThanOrEqual(LIMIT.concurrent);
            // If a large body at the head does not fit, requests behind it are queued although slots are free.
            expect(setup.search().active + setup.search().waiting).toBeLessThanOrEqual(LIMIT.concurrent + LIMIT.waiting);
          }
          for (const cancel of waiting) cancel();
          while (setup.admitted.length > 0) setup.admitted.shift()?.done();
          expect(setup.search()).toMatchObject({ active: 0, waiting: 0 });
          expect(arrived).toBeGreaterThanOrEqual(setup.refused.length + cancelled);
        },
      ),
    ));
});
