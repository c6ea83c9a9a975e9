import fc from 'fast-check';
import { chunkIdAt } from '@palimpsest/contracts';
import { chunkId } from '@palimpsest/knowledge/values';
import { chunkKey } from './chunk-key.ts';
import { RowLookup } from './row-lookup.ts';

/** Ids that share most of their digits, with duplicates. */
const ids = fc
  .integer({ min: 0, max: 500 })
  .chain((n) => fc.constantFrom(n.toString(16).padStart(32, '0'), n.toString(16).padEnd(32, '0')))
  .map((id) => chunkId(id));

describe('a row lookup', () => {
  it('finds only the newest row of every chunk', () =>
    fc.assert(
      fc.property(fc.array(ids, { maxLength: 600 }), (appended) => {
        const lookup = new RowLookup();
        const expected = new Map(appended.map((id, row) => [id, row]));
        appended.forEach((id, row) => expect(lookup.append(chunkKey(id))).toBe(row));
        for (const [id, row] of expected) expect([lookup.find(chunkKey(id)), lookup.id(row)]).toEqual([row, id]);
        expect(lookup.find(chunkKey(chunkId('f'.repeat(32))))).toBeUndefined();
      }),
    ));

  it('orders rows like the text of their ids', () =>
    fc.assert(
      fc.property(ids, ids, (a, b) => {
        const lookup = new RowLookup();
        [a, b].forEach((id) => lookup.append(chunkKey(id)));
        expect(Math.sign(lookup.compare(0, 1))).toBe(a < b ? -1 : a > b ? 1 : 0);
      }),
    ));

  it('converts a key back to its id', () => fc.assert(fc.property(ids, (id) => chunkIdAt(chunkKey(id), 0) === id)));
});
