import fc from 'fast-check';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import { windowOf } from '@palimpsest/knowledge/limits';
import { parseInput } from '../parse-input.ts';
import { limitOverrides, tierLimits, tiersFile } from './limit-schemas.ts';

const refusal = (raw: unknown, schema: Parameters<typeof parseInput>[0] = tiersFile): string => {
  try {
    parseInput(schema, raw);
  } catch (error) {
    if (error instanceof InvalidValue) return error.message;
    throw error;
  }
  return 'accepted';
};
const tier = (limits: unknown) => ({ tiers: { free: limits } });

describe('a file of tiers', () => {
  it('can limit anything or nothing', () => {
    const limits = {
      rates: { search: { perSecond: 2, burst: 10 } },
      ratesPerKey: { writes: { perSecond: 0.5, burst: 1 } },
      quotas: { documents: 0, retrievalsPerDay: 100 },
      strategies: ['SparseOnly'],
      weight: 4,
    };
    expect(parseInput(tiersFile, { default: 'free', tiers: { free: limits, enterprise: {} } })).toEqual({
      default: 'free',
      tiers: { free: limits, enterprise: {} },
    });
  });

  it.each([
    [tier({ quotas: { document: 5 } }), /^tiers\.free\.quotas\.document: expected a known field/],
    [tier({ quotas: { documents: -1 } }), /^tiers\.free\.quotas\.documents: expected/],
    [tier({ quotas: { documents: 1.5 } }), /^tiers\.free\.quotas\.documents: expected a whole number/],
    [tier({ rates: { search: { perSecond: 2 } } }), /^tiers\.free\.rates\.search\.burst: expected a number, got nothing/],
    [
      tier({ rates: { search: { perSecond: 3, burst: 10 } } }),
      /^tiers\.free\.rates\.search\.burst: expected `burst \/ perSecond` to be a whole number of seconds.*, got 10/,
    ],
    [tier({ rates: { search: { perSecond: 10, burst: 5 } } }), /^tiers\.free\.rates\.search\.burst/],
    [tier({ rates: { search: { perSecond: 0, burst: 5 } } }), /^tiers\.free\.rates\.search\.perSecond/],
    [tier({ strategies: [] }), /^tiers\.free\.strategies/],
    [tier({ strategies: ['Sparse'] }), /^tiers\.free\.strategies\[0\]: expected/],
    [tier({ weight: 0 }), /^tiers\.free\.weight/],
    [tier({ quotas: { documents: null } }), /^tiers\.free\.quotas\.documents: expected/],
    [{ tiers: { Free: {} } }, /^tiers\.Free/],
    [{ default: 'gold', tiers: { free: {} } }, /^default: expected one of free, got "gold"/],
    [{}, /^tiers: expected/],
  ])('reports the error: %j', (raw, message) => expect(refusal(raw)).toMatch(message));

  it('accepts every rate whose window is a whole number of seconds', () =>
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000 }), fc.integer({ min: 1, max: 3_600 }), (perSecond, seconds) => {
        const rate = { perSecond: perSecond / 10, burst: perSecond * seconds };
        expect(parseInput(tierLimits, { rates: { search: rate } }).rates?.search).toEqual(rate);
        expect(windowOf(rate)).toBe(seconds * 10);
      }),
    ));
});

describe('the limits of one tenant', () => {
  it('can be lifted', () =>
    expect(parseInput(limitOverrides, { quotas: { documents: null }, rates: { search: null }, strategies: null, weight: null })).toEqual({
      quotas: { documents: null },
      rates: { search: null },
      strategies: null,
      weight: null,
    }));
  it('are named if they are invalid', () =>
    expect(refusal({ quotas: { documents: 'many' } }, limitOverrides)).toMatch(/^quotas\.documents: expected a number/));
});
