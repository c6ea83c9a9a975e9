import fc from 'fast-check';

import { Lane } from './lane.ts';

const steps = fc.array(fc.oneof(fc.nat(99), fc.constantFrom('take' as const, 'put back' as const)), { maxLength: 60 });

describe('a lane', () => {
  it('behaves like an array with push, shift and unshift', () => {
    fc.assert(
      fc.property(steps, (script) => {
        const lane = new Lane<number>();
        const array: number[] = [];
        for (const step of script) {
          if (step === 'take') {
            expect(lane.take()).toBe(array.shift());
          } else if (step === 'put back') {
            lane.putBack(-1);
            array.unshift(-1);
          } else {
            lane.push(step);
            array.push(step);
          }
          expect(lane.length).toBe(array.length);
        }
      }),
    );
  });
});
