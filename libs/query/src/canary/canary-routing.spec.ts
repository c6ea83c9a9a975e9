import fc from 'fast-check';
import { generationId, tenantId, vectorScope } from '@palimpsest/knowledge/values';
import { callerOf, placeOf } from './canary-routing.ts';

const scope = { tenant: tenantId('acme'), scope: vectorScope('deployment') };
const [g2, g3] = [generationId('g2'), generationId('g3')];
const callers = Array.from({ length: 4_000 }, (_, n) => `user:${n}`);
const percent = fc.double({ min: 0, max: 100, noNaN: true });
const shareOf = (members: readonly string[]): number => (100 * members.length) / callers.length;
const servedBy = (share: number, generation = g2): readonly string[] =>
  callers.filter((caller) => placeOf(scope, generation, caller) < share);

describe('the callers of a canary', () => {
  it('stay in it when its share is raised', () => {
    fc.assert(
      fc.property(fc.string(), percent, percent, (caller, one, other) => {
        const place = placeOf(scope, g2, caller);
        return !(place < Math.min(one, other)) || place < Math.max(one, other);
      }),
    );
  });

  it('have one place each, from 0 up to but not including 100, that never changes', () => {
    fc.assert(
      fc.property(fc.string(), (caller) => {
        const place = placeOf(scope, g2, caller);
        return place >= 0 && place < 100 && place === placeOf({ ...scope }, g2, caller);
      }),
    );
    // Replicas of different versions must agree.
    expect(placeOf(scope, g2, 'user:ada')).toBeCloseTo(50.66915584789449, 9);
  });

  it.each([0, 1, 5, 50, 100])('are about %d %% of all callers', (share) => {
    // Four standard deviations of a share of 4,000 callers.
    const tolerance = 4 * Math.sqrt((share * (100 - share)) / callers.length);
    expect(Math.abs(shareOf(servedBy(share)) - share)).toBeLessThanOrEqual(tolerance);
  });

  it('are others for another generation, scope or tenant', () => {
    const again = servedBy(50).filter((caller) => placeOf(scope, g3, caller) < 50);
    expect(shareOf(again)).toBeGreaterThan(20);
    expect(shareOf(again)).toBeLessThan(30);
    const elsewhere = [
      { ...scope, scope: vectorScope('team:red') },
      { ...scope, tenant: tenantId('other') },
    ];
    for (const other of elsewhere) expect(placeOf(other, g2, 'user:1')).not.toBe(placeOf(scope, g2, 'user:1'));
  });
});

describe('a caller', () => {
  it('is a conversation, else a user, else a key', () => {
    expect(callerOf({ actor: 'key:1', user: 'ada' }, { conversation: 'c1' })).toBe('conversation:c1');
    expect(callerOf({ actor: 'key:1', user: 'ada' }, {})).toBe('user:ada');
    expect(callerOf({ actor: 'key:1' }, {})).toBe('key:1');
  });
});
