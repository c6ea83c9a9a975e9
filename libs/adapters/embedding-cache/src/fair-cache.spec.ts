import fc from 'fast-check';
import { FairCache } from './fair-cache.ts';

describe('a fair cache', () => {
  it('never exceeds its maximum size', () => {
    const puts = fc.array(fc.tuple(fc.constantFrom('one', 'two', 'three'), fc.nat(20).map(String)), { maxLength: 100 });
    fc.assert(
      fc.property(puts, fc.integer({ min: 1, max: 10 }), (all, maxEntries) => {
        const cache = new FairCache<string>(maxEntries);
        for (const [owner, key] of all) cache.set(owner, key, `${owner} ${key}`);
        const found = ['one', 'two', 'three'].flatMap((owner) =>
          Array.from({ length: 21 }, (_, key) => cache.get(owner, String(key)) ?? []).flat(),
        );
        expect(cache.size).toBe(found.length);
        expect(found.length).toBeLessThanOrEqual(maxEntries);
      }),
    );
  });

  it('evicts from the owner with the most entries, so that an owner cannot evict the entries of smaller ones', () => {
    const cache = new FairCache<number>(4);
    cache.set('small', 'a', 1);
    for (const key of ['a', 'b', 'c', 'd', 'e', 'f']) cache.set('large', key, 2);
    expect(cache.get('small', 'a')).toBe(1);
    expect(['a', 'b', 'c', 'd', 'e', 'f'].filter((key) => cache.get('large', key) !== undefined)).toEqual(['d', 'e', 'f']);
  });

  it('evicts the least recently used entry of an owner', () => {
    const cache = new FairCache<number>(2);
    cache.set('one', 'a', 1);
    cache.set('one', 'b', 2);
    cache.get('one', 'a');
    cache.set('one', 'c', 3);
    expect([cache.get('one', 'a'), cache.get('one', 'b'), cache.get('one', 'c')]).toEqual([1, undefined, 3]);
  });
});
