import type { ChunkId, EmbeddingVersion } from '@palimpsest/knowledge';
import { DENSE_WEIGHT, FOREIGN_DENSE_WEIGHT } from '../ranking/fusion.ts';
import type { Searchable } from './searchable.ts';

type Place = Readonly<{ chunkId: ChunkId; scopeAt: number }>;

/**
 * What the cosine of a candidate weighs: less where the scope's model does not know the language that the query was read in there.
 * Where the model, or the index, names no language, nothing speaks against it.
 */
export const denseWeightOf = (searchable: readonly Searchable[], languages: readonly string[], languagesOf: (version: EmbeddingVersion) => readonly string[] | undefined, candidates: readonly Place[]): ((chunkId: ChunkId) => number) => {
  const weights = searchable.map(({ embeddingVersion }, scopeAt) => {
    const language = languages[scopeAt] ?? 'und';
    const known = languagesOf(embeddingVersion);
    return language === 'und' || known === undefined || known.includes(language) ? DENSE_WEIGHT : FOREIGN_DENSE_WEIGHT;
  });
  const scopeOf = new Map(candidates.map(({ chunkId, scopeAt }) => [chunkId, scopeAt]));
  return (chunkId) => weights[scopeOf.get(chunkId) ?? 0] ?? DENSE_WEIGHT;
};
