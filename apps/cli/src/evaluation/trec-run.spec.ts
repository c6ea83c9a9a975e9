import { rankByScore } from '@palimpsest/evaluation';
import fc from 'fast-check';
import { runFrom, textOfRun } from './trec-run.ts';

const linesOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line, index) => ({ text: line, at: `run.trec line ${index + 1}` }));

describe('A TREC run', () => {
  it('is written with ranks and a tag', () => {
    const run = new Map([['q1', [{ id: 'a', score: 0.5 }, { id: 'b', score: 0.25 }]]]); // prettier-ignore
    expect(textOfRun(run, 'DenseOnly')).toBe('q1 Q0 a 1 0.5 DenseOnly\nq1 Q0 b 2 0.25 DenseOnly\n');
  });

  it('is read in the order in which it was written, also where scores are equal or rise', () => {
    const documents = fc.uniqueArray(fc.tuple(fc.stringMatching(/^[a-z]{1,2}$/), fc.float({ noNaN: true, noDefaultInfinity: true, min: -100, max: 100 })), {
      selector: ([id]) => id,
    }); // prettier-ignore
    fc.assert(
      fc.property(documents, (pairs) => {
        const run = new Map([['q', pairs.map(([id, score]) => ({ id, score }))]]);
        const read = runFrom(linesOf(textOfRun(run, 't'))).get('q') ?? [];
        expect(rankByScore(read.toReversed())).toEqual(pairs.map(([id]) => id));
      }),
    );
  });

  it('holds no id with white space', () => {
    expect(() => textOfRun(new Map([['q', [{ id: 'a b', score: 1 }]]]), 't')).toThrow('document id "a b": a TREC run cannot hold');
    expect(() => textOfRun(new Map([['', [{ id: 'a', score: 1 }]]]), 't')).toThrow('query id "": a TREC run cannot hold');
  });
});
