import * as fc from 'fast-check';
import { appendable } from './appendable.ts';

const size = (group: readonly string[]): number => group.reduce((sum, event) => sum + Buffer.byteLength(JSON.stringify(event)), 0);

describe('Groups for one append each', () => {
  it('contain every event once and in order, and fit unless a single event is too large', () =>
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 60 })), fc.integer({ min: 20, max: 200 }), (events, maxBytes) => {
        const groups = [...appendable(events, maxBytes)];
        expect(groups.flat()).toEqual(events);
        for (const group of groups) expect(group.length === 1 || size(group) <= maxBytes).toBe(true);
      }),
    ));
  it('are as few as possible without reordering', () =>
    expect([...appendable(['aaaa', 'bbbb', 'cc'], 12)]).toEqual([['aaaa', 'bbbb'], ['cc']]));
});
