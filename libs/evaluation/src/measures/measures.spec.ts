import fc from 'fast-check';
import { golden } from '../../test/golden.ts';
import { randomDiversity, randomRun } from '../../test/random-run.ts';
import { measureNamed } from './measure-named.ts';
import { rankByScore } from './rank-by-score.ts';

const expected = golden('measures') as { measures: readonly string[]; values: readonly (readonly number[])[] };
const judgements = new Map([
  ['a', 3],
  ['b', 1],
  ['z', 0],
  ['y', -1],
]);
const score = (name: string, ...ranking: string[]): number => measureNamed(name).of(ranking, judgements);

describe('Relevance measures', () => {
  it.each(expected.measures.map((name, at) => ({ name, at })))(
    'give $name as pytrec_eval and ir_measures do, to 1e-9, on 1,200 random runs with ties',
    ({ name, at }) => {
      expect(expected.values).toHaveLength(1200);
      const measure = measureNamed(name);
      const wrong = expected.values.flatMap((values, seed) => {
        const run = randomRun(seed);
        const value = measure.of(rankByScore(run.documents), run.judgements);
        return Math.abs(value - (values[at] ?? Number.NaN)) <= 1e-9 ? [] : [{ seed, value, expected: values[at] }];
      });
      expect(wrong).toEqual([]);
    },
  );

  it('count a document of grade 0 or less like an unjudged one, except in Judged', () => {
    // (0/log2(2) + 1/log2(3) + 3/log2(4)) / (3/log2(2) + 1/log2(3)), calculated by hand
    expect(score('nDCG@10', 'x', 'b', 'a')).toBeCloseTo(0.58688, 5);
    expect(['nDCG@10', 'R@10', 'RR@10', 'Success@10', 'AP', 'P@10'].map((name) => score(name, 'y', 'z', 'x'))).toEqual([0, 0, 0, 0, 0, 0]);
    expect(score('Judged@10', 'y', 'z', 'x', 'w')).toBe(0.5);
  });

  it('give 0 for an empty ranking', () => {
    expect(expected.measures.map((name) => score(name))).toEqual(expected.measures.map(() => 0));
  });

  it('are from 0 to 1, and the best possible ranking has 1', () => {
    const graded = fc.dictionary(fc.string({ minLength: 1, maxLength: 2 }), fc.integer({ min: -1, max: 4 }));
    const ranking = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 2 }));
    fc.assert(
      fc.property(graded, ranking, fc.constantFrom(...expected.measures), (grades, ids, name) => {
        const value = measureNamed(name).of(ids, new Map(Object.entries(grades)));
        return value >= 0 && value <= 1 + 1e-12;
      }),
    );
    expect(['nDCG@10', 'R@10', 'RR', 'AP', 'Success@1'].map((name) => score(name, 'a', 'b'))).toEqual([1, 1, 1, 1, 1]);
  });

  it.each(['ndcg@10', 'nDCG@0', 'R', 'MRR@10', 'nDCG@10@3', 'constructor@1', ''])(
    'refuse the name "%s" and list those that exist',
    (name) => {
      expect(() => measureNamed(name)).toThrow(`measure "${name}": expected one of nDCG, nDCG@k, R@k, P@k`);
    },
  );
});

describe('alpha_nDCG', () => {
  const expectedDiversity = golden('diversity') as typeof expected;

  it.each(expectedDiversity.measures.map((name, at) => ({ name, at })))(
    'gives $name as pyndeval does, to 1e-9, on 400 random runs with up to 6 subtopics',
    ({ name, at }) => {
      expect(expectedDiversity.values).toHaveLength(400);
      const measure = measureNamed(name);
      const wrong = expectedDiversity.values.flatMap((values, seed) => {
        const { documents, subtopics } = randomDiversity(seed);
        const value = measure.of(rankByScore(documents), new Map(), subtopics);
        return Math.abs(value - (values[at] ?? Number.NaN)) <= 1e-9 ? [] : [{ seed, value, expected: values[at] }];
      });
      expect(wrong).toEqual([]);
    },
  );

  const relevant = (...ids: string[]): Map<string, number> => new Map(ids.map((id) => [id, 2]));
  const measured = (ranking: readonly string[], subtopics: readonly Map<string, number>[]): number =>
    measureNamed('alpha_nDCG@10').of(ranking, new Map(), subtopics);

  it('prefers a document about another subtopic to one about the same', () => {
    const subtopics = [relevant('sea', 'tide'), relevant('sun'), new Map([['moon', 0]])];
    // (1 + 1 / log2(3) + .5 / log2(4)) / the same, and (1 + .5 / log2(3) + 1 / log2(4)) over it
    expect(measured(['tide', 'sun', 'sea'], subtopics)).toBeCloseTo(1, 12);
    expect(measured(['tide', 'sea', 'sun'], subtopics)).toBeCloseTo(1.815465 / 1.88093, 5);
    expect(measured(['moon', 'stone'], subtopics)).toBe(0);
  });

  it('is 1 for a ranking that is better than the greedy one, where ndeval gives 1.0177', () => {
    const subtopics = [relevant('c', 'b'), relevant('c', 'a'), relevant('b'), relevant('a')];
    expect(measured(['b', 'a', 'c'], subtopics)).toBe(1);
    expect(measured(['c', 'b', 'a'], subtopics)).toBe(1);
  });

  it('sees a query without subtopics as one subtopic, and is the only measure that compares them', () => {
    expect(measureNamed('alpha_nDCG@10').of(['b', 'a'], judgements)).toBeCloseTo(1, 12);
    expect(measureNamed('alpha_nDCG@10').of(['x', 'a'], judgements)).toBeCloseTo(1 / Math.log2(3) / (1 + 0.5 / Math.log2(3)), 12);
    expect(['alpha_nDCG@5', ...expected.measures].filter((name) => measureNamed(name).usesSubtopics)).toEqual(['alpha_nDCG@5']);
  });

  it('needs a depth', () => {
    expect(() => measureNamed('alpha_nDCG')).toThrow('measure "alpha_nDCG": expected one of nDCG, nDCG@k, R@k, P@k');
  });
});

describe('Documents of a run', () => {
  it('are ordered by score, and equal scores by id in descending order of bytes', () => {
    const ids = ['b', 'a', '\u{1f600}', '\uffc6'];
    expect(rankByScore(ids.map((id) => ({ id, score: id === 'a' ? 2 : 1 })))).toEqual(['a', '\u{1f600}', '\uffc6', 'b']);
  });

  it('are equal if their scores differ only beyond 32 bits', () => {
    expect(
      rankByScore([
        { id: 'a', score: 1 + 1e-9 },
        { id: 'b', score: 1 },
      ]),
    ).toEqual(['b', 'a']);
  });
});
