import { SYSTEM, type Scheduler } from '@palimpsest/foundation';
import type { Position } from '@palimpsest/knowledge/values';
import { ScheduledVerification } from './scheduled-verification.ts';
import type { VerificationSettings } from '../verification/administer-verification.ts';
import { Verifications } from '../verification/verifications.ts';
import type { Verification } from '../verification/verify-read-models.ts';

const HOUR_MS = 3_600_000;
const CLEAN: Verification = { clean: true, full: true, position: 7n as Position, partitions: [], differences: [], rows: [] };
const DIFFERENT: Verification = {
  ...CLEAN,
  clean: false,
  differences: [{ store: 'vectors', kind: 'missing', tenant: 'acme', scope: 'team:red' }],
};

/** A schedule whose timers the test runs by hand, with chance in the middle of its range. */
const aSchedule = (settings: VerificationSettings, results: readonly (Verification | Error)[] = [CLEAN]) => {
  const timers: { ms: number; run: () => void }[] = [];
  const after: Scheduler['after'] = (ms, run) => {
    const timer = { ms, run };
    timers.push(timer);
    return () => void timers.splice(timers.indexOf(timer), 1);
  };
  const system = { ...SYSTEM, random: { ...SYSTEM.random, next: () => 0.5 }, scheduler: { ...SYSTEM.scheduler, after } };
  const left = [...results];
  const verifications = new Verifications({
    run: async () => {
      const next = left.shift() ?? CLEAN;
      if (next instanceof Error) throw next;
      return next;
    },
  });
  const [faults, repairs]: [unknown[], unknown[]] = [[], []];
  const state = { isReady: true, closed: false };
  const schedule = new ScheduledVerification({
    settings,
    verifications,
    verify: { close: async () => void (state.closed = true) },
    repair: {
      run: async (order) => {
        repairs.push(order);
        return { repaired: 1, counts: [], seconds: 0, after: CLEAN };
      },
    },
    isReady: () => state.isReady,
    readers: { sinceLastMs: () => Infinity },
    onFault: (error) => void faults.push(error),
    system,
  });
  /** Runs the next timer, and returns how long it was. */
  const elapse = async (): Promise<number | undefined> => {
    const timer = timers.shift();
    timer?.run();
    for (let i = 0; i < 20; i++) await Promise.resolve();
    return timer?.ms;
  };
  return { schedule, verifications, faults, repairs, state, timers, elapse };
};

describe('Scheduled verifications', () => {
  it('begin an hour after the start, and go on at the interval', async () => {
    const { schedule, elapse, verifications, faults } = aSchedule({ everyHours: 24, repair: 'manual' });
    schedule.start();
    expect(await elapse()).toBe(HOUR_MS);
    expect(await elapse()).toBe(24 * HOUR_MS);
    expect(verifications.past()).toMatchObject([
      { trigger: 'scheduled', clean: true },
      { trigger: 'scheduled', clean: true },
    ]);
    expect(faults).toEqual([]);
  });

  it('do not run without an interval', () => {
    const { schedule, timers } = aSchedule({ everyHours: 0, repair: 'manual' });
    schedule.start();
    expect(timers).toEqual([]);
  });

  it('wait while the read models are being built', async () => {
    const { schedule, elapse, verifications, state } = aSchedule({ everyHours: 24, repair: 'manual' });
    schedule.start();
    state.isReady = false;
    await elapse();
    expect(verifications.past()).toEqual([]);
    state.isReady = true;
    expect(await elapse()).toBe(10 * 60_000);
    expect(verifications.past()).toHaveLength(1);
  });

  it('report differences, and repair them only if that is set', async () => {
    for (const repair of ['manual', 'auto'] as const) {
      const { schedule, elapse, faults, repairs } = aSchedule({ everyHours: 1, repair }, [DIFFERENT]);
      schedule.start();
      await elapse();
      expect(faults.map(String)).toEqual([expect.stringContaining('found 1 differences')]);
      expect(repairs).toEqual(repair === 'manual' ? [] : [expect.objectContaining({ by: 'scheduled-verification', trigger: 'scheduled' })]);
    }
  });

  it('go on after a failure, which is reported and remembered', async () => {
    const { schedule, elapse, faults, verifications } = aSchedule({ everyHours: 1, repair: 'auto' }, [new Error('planted')]);
    schedule.start();
    await elapse();
    await elapse();
    expect(faults.map(String)).toEqual(['Error: planted']);
    expect(verifications.past()).toMatchObject([{ clean: true }, { reason: 'planted' }]);
  });

  it('end with the process', async () => {
    const { schedule, timers, state } = aSchedule({ everyHours: 1, repair: 'manual' });
    schedule.start();
    await schedule.stop();
    expect([timers, state.closed]).toEqual([[], true]);
  });
});

describe('The history of verifications', () => {
  it('has the last 20, the newest first, with the differences by store and kind', async () => {
    let position = 0n;
    const verifications = new Verifications({
      run: async () => ({
        ...DIFFERENT,
        differences: [...DIFFERENT.differences, ...DIFFERENT.differences],
        position: ++position as Position,
      }),
    });
    for (let i = 0; i < 25; i++) await verifications.run('requested');
    expect(verifications.past()).toHaveLength(20);
    expect(verifications.past()[0]).toMatchObject({
      position: 25n,
      trigger: 'requested',
      differences: [{ store: 'vectors', kind: 'missing', count: 2 }],
      damage: 0,
    });
    expect(verifications.isRunning).toBe(false);
  });
});
