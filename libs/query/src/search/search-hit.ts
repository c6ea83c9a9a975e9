import type { ChunkId, ChunkText, DocumentId, KnowledgeBaseId, Labels, Origin, SourceId, VectorScope, VisibleChunk } from '@palimpsest/knowledge';

import { cutSnippet } from '../ranking/cut-snippet.ts';
import type { Explanation, FusedHit } from '../ranking/fusion.ts';
import type { SearchRequest } from './search-request.ts';

export type SearchHit = Readonly<{
  rank: number;
  chunkId: ChunkId;
  documentId: DocumentId;
  knowledgeBase: KnowledgeBaseId;
  scope: VectorScope;
  /** Where the document comes from, as its owner named it. */
  source: SourceId;
  title: string;
  /** For people and prompts: `Handbook, p. 3, Chunk 2 of 9`. */
  citation: string;
  text: string;
  contextPrefix: string;
  snippet: Readonly<{ text: string; highlights: readonly (readonly [start: number, end: number])[] }>;
  /** What the hits are ordered by, the highest first: the fused score, or the one search's own. Comparable within one answer. */
  score: number;
  /** From 0 to 1: the cosine similarity, or 1 when only the words matched. Not what the hits are ordered by. */
  relevance: number;
  index: number;
  of: number;
  page?: number;
  lines: readonly [from: number, to: number];
  headings: readonly string[];
  origin: Origin;
  labels: Labels;
  language: string;
  explain?: HitExplanation;
}>;

export type HitExplanation = Readonly<{
  fusion: Explanation;
  dense?: Readonly<{ rank: number; score: number }>;
  lexical?: Readonly<{ rank: number; score: number; terms: readonly string[] }>;
  /** The event that made it visible. */
  document: Readonly<{ version: number; indexedAt: string }>;
}>;

/** A fused candidate with what its document says of it, and its text opened. */
export const hitOf = (
  rank: number,
  fused: FusedHit,
  chunk: VisibleChunk,
  { text, contextPrefix, headings }: ChunkText,
  terms: readonly string[],
  request: SearchRequest,
): SearchHit => {
  const { chunkId, documentId, knowledgeBase, scope, sourceId: source, title, index, of, page, fromLine, toLine, origin, labels, language } = chunk;
  return {
    rank, chunkId, documentId, knowledgeBase, scope, source, title, citation: citationOf(chunk), text, contextPrefix,
    snippet: snippetOf(text, terms, request),
    score: fused.score,
    relevance: Math.max(0, fused.dense?.score ?? 1),
    index, of,
    ...(page === undefined ? {} : { page }),
    lines: [fromLine, toLine], headings, origin, labels, language,
    ...(request.explain ? { explain: explain(fused, chunk, terms) } : {}),
  };
};

export const citationOf = ({ title, page, index, of }: Pick<VisibleChunk, 'title' | 'page' | 'index' | 'of'>): string =>
  `${title}${page === undefined ? '' : `, p. ${page}`}, Chunk ${index + 1} of ${of}`;

/** The query's own words match beside the stems that the lexical index found: a dense-only search highlights too. */
const snippetOf = (text: string, terms: readonly string[], { query, snippetChars }: SearchRequest): SearchHit['snippet'] => {
  const cut = cutSnippet(text, terms.length > 0 ? terms : query.split(/[^\p{L}\p{M}\p{N}]+/u).filter((word) => word.length > 3), snippetChars);
  return { text: cut.text, highlights: cut.highlights };
};

const explain = ({ explained, dense, lexical }: FusedHit, { version, indexedAt }: VisibleChunk, terms: readonly string[]): HitExplanation => ({
  fusion: explained(),
  ...(dense === undefined ? {} : { dense: { rank: dense.rank, score: dense.score } }),
  ...(lexical === undefined ? {} : { lexical: { rank: lexical.rank, score: lexical.score, terms } }),
  document: { version, indexedAt },
});
