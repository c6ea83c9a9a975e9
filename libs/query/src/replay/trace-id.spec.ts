import { SYSTEM } from '@palimpsest/foundation';
import { newTraceId, timeOfTrace } from './trace-id.ts';

describe('A trace id', () => {
  it('is a UUID of version 7 that begins with the time', () => {
    const now = Date.parse('2026-11-27T21:51:14.123Z');
    const made = newTraceId({ ids: SYSTEM.ids, clock: { now: () => now + 0.7, elapsed: () => 0 } });
    expect(made).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(timeOfTrace(made)).toBe(now);
  });

  it('differs within a millisecond', () => {
    const one = { ids: SYSTEM.ids, clock: { now: () => 1, elapsed: () => 0 } };
    expect(new Set(Array.from({ length: 100 }, () => newTraceId(one))).size).toBe(100);
  });

  it('of an earlier version has no time', () => {
    expect(timeOfTrace(SYSTEM.ids.next())).toBeUndefined();
    expect(timeOfTrace('none')).toBeUndefined();
  });
});
