import { parseInput } from '@palimpsest/contracts';
import { type FUSIONS, type InputOf } from '@palimpsest/contracts/http';
import { search } from '@palimpsest/contracts/routes/search';
import { filter } from '@palimpsest/knowledge/access';
import type { Filter } from '@palimpsest/knowledge/access';
import { DEFAULT_IN_USE } from '@palimpsest/knowledge/evaluation';
import type { KnowledgeBaseId, Origin, Position, Strategy, VectorScope } from '@palimpsest/knowledge/values';
import type { AsOf } from '@palimpsest/knowledge/past';
import type { RecordedRewriting } from '../pipeline/rewriting.ts';
import { checkedArrangement, type Arrangement } from './arrangement.ts';
import { askedTerms, type Terms } from './terms.ts';
import { checkedRewriting } from './checked-rewriting.ts';

export type Fusion = (typeof FUSIONS)[number];

export type SearchRequest = Arrangement &
  Readonly<{
    query: string;
    /** Default: every knowledge base that the caller may read. */
    knowledgeBases?: readonly KnowledgeBaseId[];
    scopes?: readonly VectorScope[];
    topK: number;
    strategy: Strategy;
    fusion: Fusion;
    /** What a chat model adds to the vector of the query. */
    rewrite?: RecordedRewriting['by'];
    /** Minimum cosine similarity; a strong BM25 match rescues a vector slightly below it. */
    minScore?: number;
    /** Minimum relevance, 0 to 1, whatever the model and the fusion. */
    minRelevance?: number;
    /** Language of the query, a BCP 47 tag; default: the language of the searched texts that fits best. */
    language?: string;
    filter?: Filter;
    origins?: readonly Origin[];
    terms?: Terms;
    /** Whether words that no searched scope knows are corrected. Default: yes. */
    spelling?: boolean;
    explain: boolean;
    /** Wait until the read models have reached this position. */
    atLeast?: Position;
    /** A moment in the past. Such a search is not recorded. */
    asOf?: AsOf;
    snippetChars: number;
    /** Keeps all queries of a conversation on one side of a canary. Never recorded. */
    conversation?: string;
  }>;

/** A search as the caller wants it: without a strategy, with the default one of the knowledge bases that it searches. */
export type AskedSearch = Omit<SearchRequest, 'strategy'> & Readonly<{ strategy?: Strategy }>;

/** With a strategy, whatever the knowledge bases have. @throws InvalidValue */
export const searchRequest = (raw: unknown): SearchRequest => ({
  strategy: DEFAULT_IN_USE.strategy,
  ...refined(parseInput(search.body.json, raw)),
});

/** Parses the filter, whose fields the domain knows, and checks what the schema cannot. @throws InvalidValue */
export const refined = ({ filter: given, terms, ...rest }: InputOf<typeof search>['body']): AskedSearch => ({
  ...checkedRewriting(checkedArrangement(rest)),
  ...askedTerms(terms),
  ...(given === undefined ? {} : { filter: filter(given) }),
});
