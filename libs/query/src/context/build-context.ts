import { InvalidValue, type ChunkId, type DocumentId, type TokenCounter } from '@palimpsest/knowledge';
import { citationLabel, type ContextHit } from './context-hit.ts';
import { instructionFor, instructionWithoutHits, type Grounding } from './grounding.ts';
import { isMiss, MISS_FLOOR } from '../search/retrieval-miss.ts';
import { renderExcerpts } from './render-excerpts.ts';

export type ContextRules = Readonly<{
  /** Limit for the whole text, instruction and labels included. */
  maxTokens: number;
  tokens: TokenCounter;
  grounding: Grounding;
  /** In none of the hits: see `fenceFor`. */
  fence: string;
  /** Hits less relevant than this are left out. */
  floor?: number;
}>;

export type Citation = Readonly<{
  /** As it stands in the text: `[Doc Handbook, Chunk 2 of 9]`. */
  label: string;
  chunkId: ChunkId;
  documentId: DocumentId;
  title: string;
  index: number;
  of: number;
  relevance: number;
  /** Only the beginning of the chunk fits. */
  truncated: boolean;
}>;
export type LeftOut = Readonly<{ chunkId: ChunkId; reason: 'irrelevant' | 'duplicate' | 'budget' }>;

export type Context = Readonly<{
  text: string;
  /** The mark of the lines in `text` that are not quoted. */
  fence: string;
  /** Of `text`, as counted by the rules' counter; never more than asked for. */
  tokens: number;
  citations: readonly Citation[];
  leftOut: readonly LeftOut[];
  /** Nothing that was found reaches the floor. */
  miss: boolean;
  /** Nothing was found (or nothing fits), and the grounding forbids an answer then. */
  refuse: boolean;
}>;

/** What is left of the budget below this holds no useful excerpt. */
const LEAST_EXCERPT_TOKENS = 24;

/**
 * The section to add to a prompt: an instruction and as many of the hits, best first, as fit. Neighbouring chunks of a document
 * are joined in its order, duplicates dropped. A hit that does not fit is left out and the next one tried; only when not even
 * the best fits whole is its beginning taken. @throws InvalidValue when the instruction alone exceeds the budget
 */
export const buildContext = (hits: readonly ContextHit[], rules: ContextRules): Context => {
  const { floor = MISS_FLOOR, grounding, tokens, fence } = rules;
  const { unique, leftOut } = sift(hits, floor);
  const miss = isMiss(hits, floor);
  const { fitting, text, truncated } = fill(unique, leftOut, rules);
  const citations = fitting.map((hit) => citationOf(hit, hit.chunkId === truncated));
  return { text, fence, tokens: tokens.count(text), citations, leftOut, miss, refuse: fitting.length === 0 && grounding === 'StrictlyGrounded' };
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

/** Adds hits while the finished text stays within the budget; names the others in `leftOut`. */
const fill = (hits: readonly ContextHit[], leftOut: LeftOut[], { maxTokens, tokens, grounding, fence }: ContextRules): Filled => {
  const instruction = instructionFor(grounding, fence);
  const withoutHits = instructionWithoutHits(grounding);
  const write = (chosen: readonly ContextHit[]): string => `${instruction}\n\n${renderExcerpts(chosen, fence)}`;
  const fits = (chosen: readonly ContextHit[]): boolean => tokens.count(write(chosen)) <= maxTokens;
  const needed = Math.max(tokens.count(instruction), tokens.count(withoutHits));
  if (needed > maxTokens) throw new InvalidValue('maxTokens', `at least ${needed} for the instruction alone`, maxTokens);

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
    const isWorthTrying = maxTokens - used >= LEAST_EXCERPT_TOKENS;
    if (isWorthTrying && fits([...fitting, hit])) {
      fitting = [...fitting, hit];
      used = tokens.count(write(fitting));
    } else leftOut.push({ chunkId: hit.chunkId, reason: 'budget' });
  }
  return { fitting, text: fitting.length === 0 ? withoutHits : write(fitting) };
};

/** The longest beginning of a hit, in whole tokens, that fits; nothing when not even a few words do. */
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
  return enough >= LEAST_EXCERPT_TOKENS / 2 && fits(cutAt(enough)) ? cutAt(enough) : undefined;
};
