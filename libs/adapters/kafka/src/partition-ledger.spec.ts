import fc from 'fast-check';
import { decodeStates, SETTLED } from './commit-metadata.ts';
import { PartitionLedger } from './partition-ledger.ts';

const acts = fc.array(fc.record({ settle: fc.boolean(), offset: fc.integer({ min: 10, max: 80 }) }), { maxLength: 120 });

describe('PartitionLedger', () => {
  it('knows which offsets are settled, and the lowest that is not', () => {
    fc.assert(
      fc.property(acts, (all) => {
        const ledger = new PartitionLedger(10);
        const settled = new Set<number>();
        for (const { settle, offset } of all) {
          if (settle) {
            ledger.settle(offset);
            settled.add(offset);
          } else if (!settled.has(offset)) ledger.progress(offset).failures = 1;
        }
        let low = 10;
        while (settled.has(low)) low += 1;
        expect(ledger.low).toBe(low);
        for (let offset = 0; offset < 100; offset += 1) expect(ledger.at(offset) === SETTLED).toBe(offset < 10 || settled.has(offset));
      }),
    );
  });

  it('restores its state from its metadata', () => {
    const ledger = new PartitionLedger(5);
    ledger.settle(6);
    ledger.progress(8).failures = 2;
    const again = new PartitionLedger(ledger.low, decodeStates(ledger.metadata(Date.now())));
    expect([5, 6, 7, 8, 9].map((offset) => again.at(offset))).toEqual([
      undefined,
      SETTLED,
      undefined,
      { failures: 2, lost: 0, notBefore: 0, trying: false },
      undefined,
    ]);
  });

  it('skips offsets that are no longer kept, and the settled ones after them', () => {
    const ledger = new PartitionLedger(0);
    ledger.settle(7);
    ledger.settleUpTo(7);
    expect([ledger.low, ledger.end]).toEqual([8, 8]);
    ledger.settleUpTo(100);
    expect(ledger.low).toBe(100);
  });

  it('gives every change a new number, for the committer', () => {
    const ledger = new PartitionLedger(0);
    const before = ledger.changes;
    ledger.settle(3);
    expect(ledger.changes).toBeGreaterThan(before);
  });
});
