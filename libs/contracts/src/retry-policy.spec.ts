import fc from 'fast-check';
import { PermanentFailure, RetryLater } from '@palimpsest/knowledge/ports';
import { afterFailure, consumeSettings } from './retry-policy.ts';

const policy = { maxAttempts: 4, baseMs: 2_000, capMs: 60_000 };
const at = (random: number) => ({ now: 1_000, random: () => random });

describe('the outcome of a rejected message', () => {
  it('waits with full jitter: between 0 and min(cap, base * 2^attempt)', () =>
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.double({ min: 0, max: 0.999_999, noNaN: true }), (failures, random) => {
        const outcome = afterFailure(new Error('x'), failures, { ...policy, maxAttempts: 99 }, at(random));
        const max = Math.min(60_000, 2_000 * 2 ** failures);
        expect(outcome).toEqual({ outcome: 'retry', at: 1_000 + Math.floor(random * max) });
      }),
    ));

  it.each([
    [1, 4_000],
    [2, 8_000],
    [3, 16_000],
    [4, 32_000],
    [5, 60_000],
  ])('waits after attempt %d up to %d ms', (failures, max) => {
    const outcome = afterFailure(new Error('x'), failures, { ...policy, maxAttempts: 99 }, at(0.5));
    expect(outcome).toEqual({ outcome: 'retry', at: 1_000 + max / 2 });
  });

  it('waits exactly as long as RetryLater requests', () => {
    expect(afterFailure(new RetryLater('busy', 90_000.2), 1, policy, at(0))).toEqual({ outcome: 'retry', at: 1_000 + 90_001 });
    expect(afterFailure(new RetryLater('busy', -5), 1, policy, at(0))).toEqual({ outcome: 'retry', at: 1_000 });
  });

  it('is dead after the last attempt, even after RetryLater', () => {
    expect(afterFailure(new Error('x'), 4, policy, at(0))).toEqual({ outcome: 'dead', error: 'Error: x' });
    expect(afterFailure(new RetryLater('busy', 5), 4, policy, at(0))).toMatchObject({ outcome: 'dead' });
  });

  it('is dead immediately after a permanent failure, and names the causes', () => {
    const error = new PermanentFailure('no text', { cause: new Error('encrypted', { cause: 'a password' }) });
    const described = 'PermanentFailure: no text; caused by Error: encrypted; caused by a password';
    expect(afterFailure(error, 1, policy, at(0))).toEqual({ outcome: 'dead', error: described });
  });

  it.each([undefined, null, Object.create(null), 'x'.repeat(10_000)])(
    'describes any thrown value in at most 4,000 characters (%#)',
    (thrown) => {
      const outcome = afterFailure(thrown, 4, policy, at(0));
      expect(outcome.outcome === 'dead' && outcome.error.length <= 4_000).toBe(true);
    },
  );

  it('has the defaults that the port promises', () => {
    expect(consumeSettings({ topic: 't', group: 'g' })).toEqual({
      batchSize: 1,
      concurrency: 1,
      leaseMs: 60_000,
      maxAttempts: 4,
      baseMs: 2_000,
      capMs: 60_000,
    });
  });
});
