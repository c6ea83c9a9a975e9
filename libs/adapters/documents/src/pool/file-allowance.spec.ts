import * as fc from 'fast-check';
import { DEFAULT_POOL } from '../parser-limits.ts';
import { allowanceOf } from './file-allowance.ts';

const MEGABYTE = 1_000_000;

describe('the CPU time limit of a file', () => {
  it('grows with its size, up to a maximum', () => {
    expect(allowanceOf(0, DEFAULT_POOL)).toEqual({ quickMs: 800, computeMs: 10_000 });
    expect(allowanceOf(MEGABYTE, DEFAULT_POOL)).toEqual({ quickMs: 2_300, computeMs: 15_000 });
    expect(allowanceOf(50 * MEGABYTE, DEFAULT_POOL)).toEqual({ quickMs: 3_000, computeMs: 60_000 });
  });

  it('is never lower for a larger file, and always higher than the limit at which it counts as slow', () =>
    fc.assert(
      fc.property(fc.nat(100 * MEGABYTE), fc.nat(100 * MEGABYTE), (one, other) => {
        const small = allowanceOf(Math.min(one, other), DEFAULT_POOL);
        const large = allowanceOf(Math.max(one, other), DEFAULT_POOL);
        expect(small.quickMs).toBeLessThanOrEqual(large.quickMs);
        expect(small.computeMs).toBeLessThanOrEqual(large.computeMs);
        expect(small.quickMs).toBeLessThan(small.computeMs);
      }),
    ));
});
