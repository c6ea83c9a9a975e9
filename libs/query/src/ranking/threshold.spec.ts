import type { ChunkId } from '@palimpsest/knowledge/values';
import type { FusedHit } from './fusion.ts';
import { applyThreshold } from './threshold.ts';

const hit = (id: string, cosine?: number, lexicalRank?: number): FusedHit => ({
  chunkId: id as ChunkId,
  score: 1,
  explained: () => ({ label: 'test', value: 1 }),
  stages: {
    ...(cosine === undefined ? {} : { dense: { rank: 1, score: cosine } }),
    ...(lexicalRank === undefined ? {} : { lexical: { rank: lexicalRank, score: 5 } }),
  },
});
const kept = (...hits: FusedHit[]): string[] => applyThreshold(hits, { minScore: 0.4 }).kept.map(({ chunkId }) => chunkId);

describe('The threshold', () => {
  it('applies to the cosine', () => expect(kept(hit('near', 0.4), hit('far', 0.39))).toEqual(['near']));
  it('rescues a borderline vector with a good word match', () =>
    expect(kept(hit('near', 0.5), hit('border', 0.31, 10))).toEqual(['near', 'border']));
  it('does not rescue by a match far down the lexical list', () =>
    expect(kept(hit('near', 0.5), hit('border', 0.39, 11))).toEqual(['near']));
  it('does not rescue a vector far below the threshold', () => expect(kept(hit('near', 0.5), hit('far', 0.29, 1))).toEqual(['near']));
  it('keeps a hit that only the words found, if it ranks high', () =>
    expect(kept(hit('near', 0.5), hit('words', undefined, 3), hit('weak', undefined, 30))).toEqual(['near', 'words']));
  it('does not apply to a search by words only', () => expect(kept(hit('a', undefined, 1), hit('b', undefined, 99))).toEqual(['a', 'b']));
  it('reports which hits it rescued, and why it dropped the others', () => {
    const { rescued, dropped } = applyThreshold([hit('border', 0.35, 2), hit('far', 0.1, 3), hit('weak', undefined, 30)], {
      minScore: 0.4,
    });
    expect([...rescued]).toEqual(['border']);
    expect(dropped).toEqual([
      { chunkId: 'far', reason: 'cosine 0.100 is below 0.4, lexical rank 3' },
      { chunkId: 'weak', reason: 'not among the nearest vectors, lexical rank 30' },
    ]);
  });
});
