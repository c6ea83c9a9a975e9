import { FilterError } from '../search/search-state.ts';
import { againstOf, candidateOf, candidateText, isNow, NOW, parametersOf, type Candidate } from './candidate.ts';

const ALL: Candidate = {
  ...NOW,
  ...({ at: '4711', strategy: 'SparseOnly', fusion: 'rrf', top: '5', minScore: '-0.2', filter: 'team=red' } as const),
  generation: 'team:red g3',
};

describe('what a past search is compared with', () => {
  it('is the same search now, if nothing else is in the address', () => {
    expect(candidateOf(new URLSearchParams('q=harbour'))).toEqual(NOW);
    expect([isNow(NOW), againstOf(NOW), candidateText(NOW), parametersOf(NOW)]).toEqual([true, {}, 'now', {}]);
  });

  it('is kept in the address', () => {
    expect(candidateOf(new URLSearchParams(parametersOf(ALL)))).toEqual(ALL);
    expect(isNow(ALL)).toBe(false);
    expect(candidateText(ALL)).toBe(
      'position 4711, generation g3 of team:red, SparseOnly, fusion rrf, 5 results, score from -0.2, another filter',
    );
    expect(candidateText({ ...NOW, at: '2026-11-24T12:00:00Z' })).toBe('2026-11-24T12:00:00Z');
  });

  it('is sent as the server expects it', () => {
    expect(againstOf(ALL)).toEqual({
      ...{ asOf: '4711', strategy: 'SparseOnly', fusion: 'rrf', topK: 5, minScore: -0.2, generations: { 'team:red': 'g3' } },
      filter: { eq: { field: 'label.team', value: 'red' } },
    });
    expect(() => againstOf({ ...NOW, filter: '{"eq"' })).toThrow(FilterError);
  });

  it('leaves out names that no server knows', () => {
    expect(candidateOf(new URLSearchParams('strategy=Best&fusion=none&generation=g3'))).toEqual({ ...NOW, generation: 'g3' });
    expect(againstOf({ ...NOW, generation: 'g3' })).toEqual({});
  });
});
