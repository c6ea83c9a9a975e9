import { embedPassages, embedQuery } from '@palimpsest/contracts';
import type { Embedder } from '@palimpsest/knowledge/ports';
import type { Rewriting } from './rewriting.ts';

/**
 * The vector of a query and of the texts of its rewriting: of unit length, half of the query and half of the mean of the texts. So the best
 * passages are those with the highest mean of the similarities, and the query counts as much as all the other texts together.
 */
export const rewrittenVector = async (
  provider: Embedder,
  query: string,
  rewriting: Pick<Rewriting, 'by' | 'texts'> | undefined,
): Promise<Float32Array> => {
  const own = await embedQuery(provider, query);
  if (rewriting === undefined || rewriting.texts.length === 0) return own;
  return unit(own, await vectorsOf(provider, rewriting));
};

const vectorsOf = async (provider: Embedder, { by, texts }: Pick<Rewriting, 'by' | 'texts'>): Promise<readonly Float32Array[]> => {
  if (by === 'queries') return Promise.all(texts.map((text) => embedQuery(provider, text)));
  const passages = await embedPassages(
    provider,
    texts.map((text) => ({ text, contextPrefix: '', headings: [] })),
  );
  return passages.map(({ vector }) => vector);
};

/** `own`, if the sum is nothing. */
const unit = (own: Float32Array, others: readonly Float32Array[]): Float32Array => {
  const sum = own.map((value, i) => value + others.reduce((total, other) => total + (other[i] ?? 0), 0) / others.length);
  const length = Math.hypot(...sum);
  return length > 0 ? sum.map((value) => value / length) : own;
};
