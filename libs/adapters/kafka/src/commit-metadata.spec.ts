import fc from 'fast-check';
import { decodeStates, encodeStates, SETTLED, type OffsetState } from './commit-metadata.ts';

const NOW = Date.UTC(2026, 0, 1);
const progress = fc.record({
  failures: fc.nat(5),
  lost: fc.nat(3),
  notBefore: fc.constantFrom(0, NOW + 1, NOW + 60_000, NOW + 10 ** 10),
  trying: fc.boolean(),
});
const states = fc.array(fc.oneof(fc.constant<OffsetState>(SETTLED), fc.constant(undefined), progress), { maxLength: 3_000 });

/** The expected result of decoding: attempts in progress have lost their process; untried offsets at the end are not written. */
const afterCrash = (all: readonly OffsetState[]): readonly OffsetState[] => {
  const known = all.slice(0, all.findLastIndex((state) => state !== undefined) + 1);
  return known.map((state) => {
    if (typeof state !== 'object') return state;
    return state.trying ? { ...state, lost: state.lost + 1, notBefore: 0, trying: false } : state;
  });
};

describe('the metadata of a commit', () => {
  it('returns what was written, or the beginning if it does not fit', () => {
    fc.assert(
      fc.property(states, (all) => {
        const read = decodeStates(encodeStates(all, NOW));
        const expected = afterCrash(all);
        expect(read).toEqual(expected.slice(0, read.length));
        if (expected.length < 200) expect(read).toHaveLength(expected.length);
      }),
    );
  });

  it('always fits into the limit of Kafka', () => {
    fc.assert(fc.property(states, (all) => expect(encodeStates(all, NOW).length).toBeLessThanOrEqual(4_096)));
  });

  it('compresses runs of equal states', () => {
    const all = [{ failures: 0, lost: 0, notBefore: 0, trying: true }, ...Array.from({ length: 100_000 }, () => SETTLED as OffsetState)];
    expect(encodeStates(all, NOW).length).toBeLessThan(40);
  });

  it.each(['', 'of another program', 'p1:', 'p1:!!!!', 'p1:gICAgICAgA=='])('reads %j as no known states', (metadata) => {
    expect(decodeStates(metadata)).toEqual([]);
  });
});
