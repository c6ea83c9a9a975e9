import { Unavailable } from '@palimpsest/knowledge/errors';
import type { Reranker, RerankPassage } from '@palimpsest/knowledge/models';

export type FakeRerankCall = Readonly<{ query: string; passages: readonly RerankPassage[] }>;
export type FakeReranker = Reranker & Readonly<{ calls: readonly FakeRerankCall[] }>;

const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** The share of the words of a query that a passage contains. */
const overlap = ({ query, passages }: FakeRerankCall): readonly number[] => {
  const wanted = [...new Set(wordsOf(query))];
  return passages.map(({ title, context, text }) => {
    const words = new Set(wordsOf(`${title} ${context} ${text}`));
    return wanted.filter((word) => words.has(word)).length / Math.max(1, wanted.length);
  });
};

/** Counts the words that query and passage share, and records its calls. `answer`: replaces these scores, or fails. */
export const aFakeReranker = ({
  version = 'fake:overlap',
  answer = overlap,
}: Readonly<{
  version?: string;
  answer?: (call: FakeRerankCall) => readonly number[] | Promise<readonly number[]>;
}> = {}): FakeReranker => {
  const calls: FakeRerankCall[] = [];
  let closed = false;
  return {
    version,
    calls,
    score: async (query, passages, signal) => {
      signal?.throwIfAborted();
      if (closed) throw new Unavailable('the reranker is closed', { forCallers: true });
      if (passages.length === 0) return [];
      calls.push({ query, passages });
      const scores = await answer({ query, passages });
      signal?.throwIfAborted();
      if (scores.length !== passages.length || !scores.every((score) => Number.isFinite(score)))
        throw new Unavailable('the reranker gave no score for each passage', { forCallers: true });
      return scores;
    },
    close: async () => void (closed = true),
  };
};
