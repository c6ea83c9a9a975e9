import { sumsOf } from './fleet-plan-facts.ts';

const SUMS = { scopes: 2, documents: 1, chunks: 3, tokens: 40, reusable: 1, bytes: { vectors: 1_024 } };

describe('the sums of a plan', () => {
  it('name what is unknown', () => {
    expect(sumsOf(SUMS)).toEqual([
      ['Contents', '2 scopes, 1 document, 3 chunks'],
      ['To embed', '40 tokens; 1 chunk with a vector of this model already'],
      ['Cost', 'unknown: the model has no price'],
      ['Time', 'unknown: no sample was embedded'],
      ['Space', '1.0 KB of vectors, and what the index server adds'],
    ]);
  });
  it('are complete if everything is known', () => {
    const known = sumsOf({ ...SUMS, cost: 0.5, seconds: 90, bytes: { vectors: 1, memory: 2_621_440, disk: 512 } });
    expect(Object.fromEntries(known)).toMatchObject({
      Cost: '$0.5000',
      Time: expect.stringMatching(/^about .*, one scope after the other$/),
    });
    expect(Object.fromEntries(known)['Space']).toContain('2.5 MB of memory and 512 B of disk');
  });
});
