import type { Rewriting } from '../pipeline/rewriting.ts';
import type { Reranking } from '../pipeline/reranking.ts';
import type { LookedBack } from '@palimpsest/knowledge/past';
import type { Downgrade } from '@palimpsest/knowledge/limits';
import type { EmbeddingVersion, Position, Strategy, VectorScope } from '@palimpsest/knowledge/values';
import type { Correction, SearchedSynonyms } from '../pipeline/search-state.ts';
import type { SearchHit } from '../pipeline/search-hit.ts';
import type { Timings } from '../pipeline/stage-run.ts';

/** A scope that was searched by words only, although vectors were requested. `detail`: why, for people. */
export type LexicalOnly = Readonly<{ scope: VectorScope; embeddingVersion: EmbeddingVersion; detail: string }>;

/** The outcome of the reranking. `detail`: in words for people. */
export type DescribedReranking = Reranking & Readonly<{ detail: string }>;

/** How the query was rewritten. `detail`: in words for people. */
export type DescribedRewriting = Rewriting & Readonly<{ detail: string }>;

/** The strategy of a search that named none, where a searched knowledge base has one of its own. `detail`: why, in words for people. */
export type DescribedDefault = Readonly<{ used: Strategy; detail: string }>;

export type SearchAnswer = Readonly<{
  hits: readonly SearchHit[];
  /** No close match: no hit is relevant. */
  miss: boolean;
  /** The read models reflected at least this position when the search began. */
  position: Position;
  traceId: string;
  /** Only if the tenant may not use the requested strategy. */
  downgraded?: Downgrade;
  /** Only for a search without a strategy of knowledge bases that have one. */
  defaultStrategy?: DescribedDefault;
  /** Only if there is one. */
  lexicalOnly?: readonly LexicalOnly[];
  /** Required and excluded terms that were no condition, if there are any. */
  ignoredTerms?: readonly string[];
  /** Words of the query that were searched as other words, if there are any. */
  corrections?: readonly Correction[];
  /** Only if words of the query have synonyms. */
  synonyms?: SearchedSynonyms;
  /** Only for a request with `rewrite`. */
  rewritten?: DescribedRewriting;
  /** Only for a search with a reranker. */
  reranked?: DescribedReranking;
  /** Only for a search in the past. */
  asOf?: LookedBack;
  timings: Timings;
}>;
