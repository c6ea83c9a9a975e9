import { byMarginalRelevance } from './marginal-relevance.ts';

const PASSAGES = [
  { text: 'engines burn coal to heat water', relevance: 9 },
  { text: 'engines burn coal to heat some water', relevance: 8 },
  { text: 'a sail catches the wind', relevance: 7 },
  { text: 'horses pull barges along canals', relevance: 1 },
];
const order = (diversity: number, wanted = 4) => byMarginalRelevance(PASSAGES, diversity, wanted).map(({ at }) => at);

describe('Choosing by marginal relevance', () => {
  it('keeps the order of relevance without diversity', () => expect(order(0)).toEqual([0, 1, 2, 3]));

  it('moves what repeats a better passage behind what says something else, the more the higher the diversity', () => {
    expect(order(0.3)).toEqual([0, 2, 1, 3]);
    expect(order(0.7)).toEqual([0, 2, 3, 1]);
  });

  it('starts with the most relevant passage, whatever the diversity', () => expect(order(1)[0]).toBe(0));
  it('chooses as many as are wanted', () => expect(order(0.3, 2)).toEqual([0, 2]));

  it('says what each was chosen for', () => {
    const [first, second, third] = byMarginalRelevance(PASSAGES, 0.3, 3);
    expect(first).toEqual({ at: 0, value: 0.7, relevance: 1 });
    expect(second).toEqual({ at: 2, value: 0.7 * 0.75, relevance: 0.75 });
    expect(third?.like?.at).toBe(0);
    expect(third?.value).toBeCloseTo(0.7 * 0.875 - 0.3 * (third?.like?.similarity ?? 0), 12);
    expect(third?.like?.similarity).toBeGreaterThan(0.7);
  });

  it('takes the first of equal passages, and the order of passages without scores that differ', () => {
    const same = [1, 2, 3].map(() => ({ text: 'the same', relevance: 5 }));
    expect(byMarginalRelevance(same, 0.5, 3).map(({ at }) => at)).toEqual([0, 1, 2]);
    expect(byMarginalRelevance([], 0.5, 3)).toEqual([]);
  });
});
