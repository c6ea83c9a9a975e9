import { ProblemError } from '@palimpsest/client';
import type { ReplayChange } from '@palimpsest/client';
import { asksForQuery, causeName, changeText, comparedText } from './replay-facts.ts';

const place = (rank: number) => ({ rank, score: 1 });
const change = (part: Pick<ReplayChange, 'change' | 'before' | 'after'>): ReplayChange => ({
  hit: { rank: 1, score: 1, chunkId: 'c', documentId: 'd', scope: 's', source: 'a.md', title: 'A', citation: 'A', text: 'a' },
  causes: [],
  ...part,
});
const gained = change({ change: 'gained', after: place(1) });
const lost = change({ change: 'lost', before: place(2) });
const moved = change({ change: 'moved', before: place(3), after: place(1) });

describe('a replay', () => {
  it('asks for the text of the query where it is not recorded', () => {
    const problem = (status: number, field: string) => new ProblemError({ status, code: 'InvalidRequest', field });
    expect([problem(400, 'query'), problem(400, 'against.asOf'), problem(404, 'query'), null].map(asksForQuery)).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  it('says how each hit changed', () => {
    expect([gained, lost, moved].map((each) => changeText(each, true))).toEqual([
      'Gained: now rank 1',
      'Lost: was rank 2',
      'Moved: rank 3 → 1',
    ]);
    expect(changeText(gained, false)).toBe('Gained: rank 1');
    expect(causeName({ kind: 'reindexed' })).toBe('Document changed');
  });

  it('says in one line what is different now', () => {
    expect(comparedText({ changes: [], unchanged: 5 }, true)).toBe('The same search has the same hits in the same order now.');
    expect(comparedText({ changes: [], unchanged: 5 }, false)).toBe('The same hits in the same order.');
    expect(comparedText({ changes: [gained, lost, moved], unchanged: 1 }, true)).toBe('1 gained, 1 lost, 1 moved, 1 hit at the same rank.');
  });
});
