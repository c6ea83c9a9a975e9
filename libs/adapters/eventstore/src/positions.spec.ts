import { position, START } from '@palimpsest/knowledge/values';
import fc from 'fast-check';
import { isExpressible, pairOf, positionOf, type CommitPrepare } from './positions.ts';

const MAX = 2n ** 63n - 1n;
const aPair: fc.Arbitrary<CommitPrepare> = fc
  .tuple(fc.bigInt(1n, MAX), fc.boolean())
  .map(([commit, event]) => ({ commit, prepare: event ? commit : 0n }));

describe('positions', () => {
  it('preserve the pair of an event and of a checkpoint, also as text', () =>
    fc.assert(fc.property(aPair, (pair) => expect(pairOf(position(String(positionOf(pair))))).toEqual(pair))));

  it('preserve the order of pairs', () => {
    const less = (a: CommitPrepare, b: CommitPrepare): boolean => a.commit < b.commit || (a.commit === b.commit && a.prepare < b.prepare);
    fc.assert(fc.property(aPair, aPair, (a, b) => expect(positionOf(a) < positionOf(b)).toBe(less(a, b))));
  });

  it('sort START before an event at the first byte, and map nothing to START', () => {
    expect(pairOf(START)).toBeUndefined();
    expect(positionOf({ commit: 0n, prepare: 0n }) > START).toBe(true);
  });

  it('report other pairs as not expressible', () => {
    expect(isExpressible({ commit: 10n, prepare: 4n })).toBe(false);
    expect(isExpressible({ commit: 10n, prepare: 10n }) && isExpressible({ commit: 10n, prepare: 0n })).toBe(true);
  });
});
