import { searchText } from '@palimpsest/contracts';
import { shuffled, nextTurn, type Scheduler, type SeededRandom } from '@palimpsest/foundation';
import type { PermittedScope } from '@palimpsest/knowledge/access';
import type { ChunkText } from '@palimpsest/knowledge/events';
import type { RechunkedDocuments } from '@palimpsest/knowledge/plans';
import type { TextWindow } from '@palimpsest/knowledge/ports';
import type { ChunkListId, DocumentId, KnowledgeBaseId, Recipe } from '@palimpsest/knowledge/values';
import type { PreviewedChunk, PreviewOfDocument, Rechunking } from '../chunk-lists.ts';
import type { CountedChunk, CountedTexts } from './count-texts.ts';
import { relativeError, type TextTokens } from './figures-of.ts';
import type { Reuse } from './reusable-vectors.ts';

type Ports = Readonly<{ rechunk: Pick<Rechunking, 'preview'>; elapsed: () => number; scheduler: Scheduler }>;
/** `isSameModel`: a document that keeps its chunks keeps their vectors, too. `texts`: how many are returned, to measure the speed. */
type Asked = Readonly<{ of: ChunkListId; recipe: Recipe; isSameModel: boolean; texts: number; maxDocuments?: number }>;

/** What the new chunking gives for one present chunk, on average over a document or a knowledge base. */
type Shares = Readonly<{ chunks: number; tokens: number; reused: number; reusedTokens: number }>;
type Drawn = Readonly<{ knowledgeBase: KnowledgeBaseId; shares: Shares }>;
type Read = Readonly<{ shares: Shares; count: number; isKept: boolean }>;

/** What another chunking gives in a scope. `shares`: of a knowledge base. */
export type RechunkedTexts = Readonly<{
  chunks: number;
  tokens: TextTokens;
  reuse: Reuse;
  texts: readonly ChunkText[];
  documents: RechunkedDocuments;
  shares: (of: KnowledgeBaseId) => Pick<Shares, 'chunks' | 'tokens'>;
}>;

/** Documents that are chunked again: each is parsed from its upload. */
const MAX_DOCUMENTS = 100;
/** After this time, no further document is read. */
const DEADLINE_MS = 20_000;
const TEXTS_PER_TURN = 16;
const GONE: Read = { shares: { chunks: 0, tokens: 0, reused: 0, reusedTokens: 0 }, count: 0, isKept: false };

/**
 * Chunks documents of a scope again, all of them or a sample, and counts what they would have. The counted chunks are in random order, so
 * a document is drawn with a chance in proportion to its chunks. Each of these chunks stands for its share of what its document would
 * have. The mean of the shares times the present chunks is what the scope would have; it is exact if all documents were read.
 */
export const rechunkedTexts = async (
  { rechunk, elapsed, scheduler }: Ports,
  scope: PermittedScope,
  { count }: Pick<TextWindow, 'count'>,
  counted: CountedTexts,
  { of, recipe, isSameModel, texts: wanted, maxDocuments = MAX_DOCUMENTS }: Asked,
  { random, signal }: Readonly<{ random: SeededRandom; signal: AbortSignal }>,
): Promise<RechunkedTexts> => {
  const own = Map.groupBy(counted.read, ({ documentId }) => documentId);
  const known = new Map<DocumentId, Read>();
  const drawn: Drawn[] = [];
  const sample: ChunkText[] = [];
  let seen = 0;
  // Reservoir sampling, as documents may have thousands of chunks.
  const sampled = ({ content }: PreviewedChunk): void => {
    seen++;
    const at = seen <= wanted ? seen - 1 : Math.floor(random.next() * seen);
    if (at < wanted) sample[at] = content;
  };
  const began = elapsed();
  for (const { documentId, knowledgeBase } of counted.read) {
    signal.throwIfAborted();
    let read = known.get(documentId);
    if (!read) {
      if (known.size >= maxDocuments || (known.size > 0 && elapsed() - began > DEADLINE_MS)) break;
      const previewed = await rechunk.preview({ scope, documentId, of, recipe, signal });
      previewed?.chunks?.forEach(sampled);
      read = previewed ? await readOf(previewed, own.get(documentId) ?? [], { count, isSameModel, scheduler }) : GONE;
      known.set(documentId, read);
    }
    drawn.push({ knowledgeBase, shares: read.shares });
  }
  const isComplete = counted.read.length === counted.chunks && known.size === own.size;
  return {
    ...totalsOf(drawn, counted.chunks, [...known.values()], isComplete),
    texts: shuffled(sample, random),
  };
};

/** `own`: present chunks of the document that were counted. */
const readOf = async (
  { present, chunks }: PreviewOfDocument,
  own: readonly CountedChunk[],
  { count, isSameModel, scheduler }: Pick<TextWindow, 'count'> & Readonly<{ isSameModel: boolean; scheduler: Scheduler }>,
): Promise<Read> => {
  if (chunks) {
    const shares = await sharesOf(present, chunks, count, scheduler);
    return { shares, count: chunks.length, isKept: false };
  }
  const tokens = own.reduce((sum, each) => sum + each.tokens, 0) / Math.max(1, own.length);
  const shares = { chunks: 1, tokens, reused: isSameModel ? 1 : 0, reusedTokens: isSameModel ? tokens : 0 };
  return { shares, count: own.length, isKept: true };
};

const sharesOf = async (
  present: number,
  chunks: readonly PreviewedChunk[],
  count: TextWindow['count'],
  scheduler: Scheduler,
): Promise<Shares> => {
  const sum = { chunks: 0, tokens: 0, reused: 0, reusedTokens: 0 };
  for (const [at, { content, isEmbedded }] of chunks.entries()) {
    if (at % TEXTS_PER_TURN === TEXTS_PER_TURN - 1) await nextTurn(scheduler);
    const tokens = count(searchText(content));
    sum.chunks++;
    sum.tokens += tokens;
    sum.reused += isEmbedded ? 1 : 0;
    sum.reusedTokens += isEmbedded ? tokens : 0;
  }
  return {
    chunks: sum.chunks / present,
    tokens: sum.tokens / present,
    reused: sum.reused / present,
    reusedTokens: sum.reusedTokens / present,
  };
};

const totalsOf = (drawn: readonly Drawn[], present: number, read: readonly Read[], exact: boolean): Omit<RechunkedTexts, 'texts'> => {
  const all = drawn.map(({ shares }) => shares);
  const errorOf = (of: keyof Shares): Readonly<{ error?: number }> => {
    const error = exact
      ? undefined
      : relativeError(
          all.map((shares) => shares[of]),
          present,
        );
    return error === undefined ? {} : { error };
  };
  const whole = meanOf(all);
  const missing = whole.tokens === 0 ? 1 : (whole.tokens - whole.reusedTokens) / whole.tokens;
  return {
    chunks: Math.round(whole.chunks * present),
    tokens: {
      sum: whole.tokens * present,
      read: read.reduce((sum, { count }) => sum + count, 0),
      isComplete: exact,
      ...errorOf('tokens'),
    },
    reuse: { chunks: Math.round(whole.reused * present), exact, missing },
    documents: { present, read: read.length, kept: read.filter(({ isKept }) => isKept).length, exact, ...errorOf('chunks') },
    shares: (of) => {
      const own = drawn.filter(({ knowledgeBase }) => knowledgeBase === of).map(({ shares }) => shares);
      return own.length === 0 ? whole : meanOf(own);
    },
  };
};

const meanOf = (all: readonly Shares[]): Shares => {
  const mean = (of: keyof Shares): number => (all.length === 0 ? 0 : all.reduce((sum, shares) => sum + shares[of], 0) / all.length);
  return { chunks: mean('chunks'), tokens: mean('tokens'), reused: mean('reused'), reusedTokens: mean('reusedTokens') };
};
