import type { VerificationHistory, VerificationRecord } from '@palimpsest/client';
import { isRepairable, repairText, resultOf, scheduleText, sizeOf, stateOf } from './verification-facts.ts';

const CLEAN: VerificationRecord = {
  startedAt: '2026-11-22T08:00:00.000Z',
  trigger: 'scheduled',
  seconds: 1,
  clean: true,
  full: false,
  position: '7',
  chunks: 40,
  differences: [],
  damage: 0,
};
const DIFFERENT: VerificationRecord = { ...CLEAN, clean: false, differences: [{ store: 'vectors', kind: 'missing', count: 1 }], damage: 2 };
const FAILED: VerificationRecord = { startedAt: CLEAN.startedAt, trigger: 'requested', seconds: 1, reason: 'the process is stopping' };
const history = (...verifications: VerificationRecord[]): VerificationHistory => ({
  running: false,
  everyHours: 24,
  repair: 'manual',
  verifications,
  repairs: [],
});

describe('the verifications on the overview', () => {
  it('have the state of the last one that was completed', () => {
    expect([history(), history(FAILED, CLEAN), history(DIFFERENT, CLEAN)].map(stateOf)).toEqual(['none', 'ok', 'differs']);
    expect(stateOf({ ...history(CLEAN), running: true })).toBe('running');
  });

  it('offer a repair of differences only, and not while one runs', () => {
    expect([history(CLEAN), history(DIFFERENT), history(FAILED, DIFFERENT)].map(isRepairable)).toEqual([false, true, true]);
    expect(isRepairable({ ...history(DIFFERENT), running: true })).toBe(false);
    expect(isRepairable(history({ ...DIFFERENT, differences: [] }))).toBe(false);
  });

  it('say what was found, and how much was compared', () => {
    expect([CLEAN, DIFFERENT, FAILED].map(resultOf)).toEqual([
      'no differences',
      '1 entry missing in the vectors, 2 findings about the log, keys or uploads',
      'not completed: the process is stopping',
    ]);
    expect([CLEAN, { ...CLEAN, full: true }, FAILED].map(sizeOf)).toEqual([
      '40 chunks, newer events of the log',
      '40 chunks, all of the log',
      '',
    ]);
  });

  it('say what was repaired, and when they run', () => {
    const repair = {
      repairedAt: '',
      by: 'key:k',
      trigger: 'requested',
      upTo: '7',
      total: 2,
      counts: [],
      chunkIds: [],
      remaining: 0,
    } as const;
    expect([repairText(repair), repairText({ ...repair, remaining: 1 })]).toEqual([
      '2 differences repaired',
      '2 differences repaired, 1 difference left',
    ]);
    expect(scheduleText(history())).toBe('Every 24 hours; differences are reported, and repaired on request.');
    expect(scheduleText({ ...history(), repair: 'auto' })).toContain('repaired at once');
    expect(scheduleText({ ...history(), everyHours: 0 })).toBe('Not scheduled.');
  });
});
