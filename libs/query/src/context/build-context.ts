import type { Grounding } from '@palimpsest/contracts/http';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import type { TokenCounter } from '@palimpsest/knowledge/ports';
import type { ChunkId, DocumentId } from '@palimpsest/knowledge/values';
import { citationLabel, type ContextHit } from './context-hit.ts';
import { instructionFor, instructionWithoutHits } from './grounding.ts';
import { isMiss } from '../search/retrieval-miss.ts';
import { renderExcerpts } from './render-excerpts.ts';
import { sentencesByQuery, withSentences } from './sentences.ts';

export type ContextRules = Readonly<{
  /** Limit for the whole text, including instruction and labels. */
  maxTokens: number;
  tokens: TokenCounter;
  grounding: Grounding;
  /** Does not occur in any hit; see `fenceFor`. */
  fence: string;
  /** Hits with a lower relevance are left out. */
  floor?: number;
  /** The query. If given, hits that do not fit as a whole are shortened to the sentences that carry it. */
  compressFor?: string;
}>;

export type Citation = Readonly<{
  /** As it appears in the text: `[Doc Handbook, Chunk 2 of 9]`. */
  label: string;
  chunkId: ChunkId;
  documentId: DocumentId;
  title: string;
  index: number;
  of: number;
  relevance: number;
  /** Only the beginning of the chunk fits. */
  truncated: boolean;
  /** Only some of its sentences are in the text. */
  compressed?: true;
}>;
export type LeftOut = Readonly<{ chunkId: ChunkId; reason: 'irrelevant' | 'duplicate' | 'budget' }>;

export type Context = Readonly<{
  text: string;
  /** Marks the lines of `text` that are not quoted. */
  fence: string;
  /** Number of tokens in `text`, counted with `rules.tokens`; at most `maxTokens`. */
  tokens: number;
  citations: readonly Citation[];
  leftOut: readonly LeftOut[];
  /** No close match: no hit is relevant enough. */
  miss: boolean;
  /** Nothing was found or nothing fits, and the grounding forbids an answer in that case. */
  refuse: boolean;
}>;

/** A passage with a lower relevance is not worth its tokens. Lower than what a retrieval must reach: weak passages may support each other. */
const PASSAGE_FLOOR = 0.01;
/** With fewer tokens left in the budget, an excerpt is not useful. */
const MIN_EXCERPT_TOKENS = 24;

/**
 * Builds the section to add to a prompt: an instruction and as many hits as fit, best first. Neighbouring chunks of a document are
 * joined in document order; duplicates are dropped. A hit that does not fit is skipped and the next one is tried. If not even the
 * best hit fits, it is truncated. With `compressFor`, the budget is filled with the best sentences of all hits instead. @throws InvalidValue when the instruction alone exceeds the budget
 */
export const buildContext = (hits: readonly ContextHit[], rules: ContextRules): Context => {
  const { floor = PASSAGE_FLOOR, grounding, tokens, fence } = rules;
  const { unique, leftOut } = sift(hits, floor);
  const miss = isMiss(hits);
  const { fitting, text, truncated } = fill(unique, leftOut, rules);
  const citations = fitting.map((hit): Citation => {
    const isTruncated = hit.chunkId === truncated;
    return { ...citationOf(hit, isTruncated), ...(isTruncated || unique.includes(hit) ? {} : { compressed: true }) };
  });
  return {
    text,
    fence,
    tokens: tokens.count(text),
    citations,
    leftOut,
    miss,
    refuse: fitting.length === 0 && grounding === 'StrictlyGrounded',
  };
};

const citationOf = (hit: ContextHit, truncated: boolean): Citation => {
  const { chunkId, documentId, title, index, of, relevance } = hit;
  return { label: citationLabel(hit), chunkId, documentId, title, index, of, relevance, truncated };
};

const sift = (hits: readonly ContextHit[], floor: number): Readonly<{ unique: readonly ContextHit[]; leftOut: LeftOut[] }> => {
  const leftOut: LeftOut[] = [];
  const known = new Set<string>();
  const unique = hits.filter(({ chunkId, text, relevance }) => {
    const content = text.replace(/\s+/g, ' ').trim();
    const isDuplicate = known.has(chunkId) || known.has(`text ${content}`);
    if (relevance < floor) leftOut.push({ chunkId, reason: 'irrelevant' });
    else if (isDuplicate) leftOut.push({ chunkId, reason: 'duplicate' });
    else known.add(chunkId).add(`text ${content}`);
    return relevance >= floor && !isDuplicate;
  });
  return { unique, leftOut };
};

type Filled = Readonly<{ fitting: readonly ContextHit[]; text: string; truncated?: ChunkId }>;

/** Adds hits while the finished text stays within the budget; adds the others to `leftOut`. */
const fill = (
  hits: readonly ContextHit[],
  leftOut: LeftOut[],
  { maxTokens, tokens, grounding, fence, compressFor }: ContextRules,
): Filled => {
  const instruction = instructionFor(grounding, fence);
  const withoutHits = instructionWithoutHits(grounding);
  const write = (chosen: readonly ContextHit[]): string => `${instruction}\n\n${renderExcerpts(chosen, fence)}`;
  const fits = (chosen: readonly ContextHit[]): boolean => tokens.count(write(chosen)) <= maxTokens;
  const needed = Math.max(tokens.count(instruction), tokens.count(withoutHits));
  if (needed > maxTokens) throw new InvalidValue('maxTokens', `at least ${needed}, which the instruction alone needs`, maxTokens);

  if (compressFor !== undefined && !fits(hits)) {
    const fitting = mostSentences(hits, compressFor, fits);
    const kept = new Set(fitting.map(({ chunkId }) => chunkId));
    if (fitting.length > 0) {
      leftOut.push(...hits.filter(({ chunkId }) => !kept.has(chunkId)).map(({ chunkId }) => ({ chunkId, reason: 'budget' as const })));
      return { fitting, text: write(fitting) };
    }
  }
  const [best] = hits;
  if (best === undefined) return { fitting: [], text: withoutHits };
  if (!fits([best])) {
    const beginning = beginningThatFits(best, tokens, (hit) => fits([hit]));
    if (beginning !== undefined) {
      leftOut.push(...hits.slice(1).map(({ chunkId }) => ({ chunkId, reason: 'budget' as const })));
      return { fitting: [beginning], text: write([beginning]), truncated: best.chunkId };
    }
  }
  let fitting: readonly ContextHit[] = [];
  let used = needed;
  for (const hit of hits) {
    const isWorthTrying = maxTokens - used >= MIN_EXCERPT_TOKENS;
    if (isWorthTrying && fits([...fitting, hit])) {
      fitting = [...fitting, hit];
      used = tokens.count(write(fitting));
    } else leftOut.push({ chunkId: hit.chunkId, reason: 'budget' });
  }
  return { fitting, text: fitting.length === 0 ? withoutHits : write(fitting) };
};

/** As many of the best sentences as fit; no hits if not even the best one does. */
const mostSentences = (
  hits: readonly ContextHit[],
  query: string,
  fits: (hits: readonly ContextHit[]) => boolean,
): readonly ContextHit[] => {
  const sentences = sentencesByQuery(hits, query);
  const best = (count: number): readonly ContextHit[] => withSentences(hits, sentences.slice(0, count));
  let enough = 0;
  let tooMany = sentences.length + 1;
  while (tooMany - enough > 1) {
    const middle = (enough + tooMany) >>> 1;
    if (fits(best(middle))) enough = middle;
    else tooMany = middle;
  }
  return best(enough);
};

/** The hit, truncated to as many whole tokens as fit; undefined if not even a few words fit. */
const beginningThatFits = (hit: ContextHit, tokens: TokenCounter, fits: (hit: ContextHit) => boolean): ContextHit | undefined => {
  const ends = [...tokens.tokenStarts(hit.text)];
  const cutAt = (count: number): ContextHit => ({ ...hit, text: `${hit.text.slice(0, ends[count] ?? hit.text.length).trimEnd()}…` });
  let enough = 0;
  let tooMany = ends.length;
  while (tooMany - enough > 1) {
    const middle = (enough + tooMany) >>> 1;
    if (fits(cutAt(middle))) enough = middle;
    else tooMany = middle;
  }
  return enough >= MIN_EXCERPT_TOKENS / 2 && fits(cutAt(enough)) ? cutAt(enough) : undefined;
};
