import { judgementsFrom } from './judgements-file.ts';
import { changesOf } from './query-changes.ts';

const named = (file: string, ...ids: string[]) => ({ file, run: new Map([['q', ids.map((id, at) => ({ id, score: 9 - at }))]]) });
const judgements = (grades: Readonly<Record<string, number>>) => {
  const lines = Object.entries(grades).map(([document, grade]) => ({ text: `q 0 ${document} ${grade}`, at: 'line' }));
  const found = judgementsFrom(lines).get('q');
  if (found === undefined) throw new Error('expected judgements');
  return found;
};

describe('The documents that changed a query', () => {
  it('are the judged ones with another rank; those whose gain changed most come first', () => {
    const before = named('before', 'same', 'low', 'high', 'unjudged', 'lost', 'poor');
    const after = named('after', 'same', 'high', 'low', 'poor', 'unjudged', 'new');
    const grades = judgements({ same: 3, low: 1, high: 3, lost: 2, poor: 0, new: -1, nowhere: 2 });
    const { documents, moreDocuments, ...rest } = changesOf('q', grades, before, after);
    expect([moreDocuments, rest]).toEqual([0, {}]);
    expect(documents).toEqual([
      { document: 'lost', grade: 2, before: { rank: 5, score: 5 } },
      { document: 'high', grade: 3, before: { rank: 3, score: 7 }, after: { rank: 2, score: 8 } },
      { document: 'low', grade: 1, before: { rank: 2, score: 8 }, after: { rank: 3, score: 7 } },
      { document: 'poor', grade: 0, before: { rank: 6, score: 4 }, after: { rank: 4, score: 6 } },
      { document: 'new', grade: -1, after: { rank: 6, score: 4 } },
    ]);
  });

  it('are at most ten, and the rest is counted', () => {
    const ids = Array.from({ length: 13 }, (_, at) => `d${at}`);
    const grades = judgements(Object.fromEntries(ids.map((id) => [id, 1])));
    const { documents, moreDocuments } = changesOf('q', grades, named('before', ...ids), named('after'));
    expect(documents.map(({ document }) => document)).toEqual(ids.slice(0, 10));
    expect(moreDocuments).toBe(3);
    expect(changesOf('q', grades, named('before', ...ids), named('before', ...ids))).toEqual({ documents: [], moreDocuments: 0 });
  });
});
