import { z } from 'zod';
import { ORIGINS, STRATEGIES } from '@palimpsest/knowledge/values';
import { queryText } from '../../schemas/query-text.ts';
import { arrangement } from '../../schemas/arrangement.ts';
import { terms } from '../../schemas/terms.ts';
import { REWRITINGS } from '../../schemas/rewriting.ts';
import { wire } from '../../schemas/values.ts';
import { asOf } from '../query-params.ts';
import { REQUEST_LIMITS } from '../request-limits.ts';
import { json, route } from '../route.ts';
import { contextResult, FUSIONS, GROUNDINGS, searchResult, type Filter } from '../views/search.ts';

const { contextTokens } = REQUEST_LIMITS;

/** Maximum number of knowledge bases, and of scopes, that a search names. */
const MAX_NAMED = 100;

const fields = {
  query: queryText,
  knowledgeBases: z.array(wire.knowledgeBaseId).min(1).max(MAX_NAMED).exactOptional(),
  scopes: z.array(wire.scope).min(1).max(MAX_NAMED).exactOptional(),
  topK: z.number().int().min(1).max(REQUEST_LIMITS.topK.max).default(REQUEST_LIMITS.topK.default),
  strategy: z
    .enum(STRATEGIES)
    .exactOptional()
    .describe(
      '`DenseSparseRerank`: as `DenseSparseHybrid`, then the reranker of the installation scores the best results, and its scores are blended with theirs; 400 if there is no reranker. Default: the default strategy of the searched knowledge bases (`/v1/strategies/{id}`); `DenseSparseHybrid`, if they have none or different ones',
    ),
  fusion: z
    .enum(FUSIONS)
    .default('zscore')
    .describe('how the results of both searches are combined. `zscore`: the sum of the standard scores of a chunk in each search'),
  rewrite: z
    .enum(REWRITINGS)
    .exactOptional()
    .describe(
      'what the chat model of the installation writes, to be searched by vectors together with the query: other wordings of it (`queries`), or a passage that could answer it (`hypothetical`); 400 if there is no chat model. Default: nothing',
    ),
  minScore: z
    .number()
    .min(-1)
    .max(1)
    .exactOptional()
    .describe('minimum cosine similarity; its meaning depends on the embedding model, so `minRelevance` is usually what is wanted'),
  minRelevance: z
    .number()
    .min(0)
    .max(1)
    .exactOptional()
    .describe('leaves out results whose `relevance` is lower; means the same with every model and fusion'),
  language: wire.language
    .exactOptional()
    .describe('language of the query, a BCP 47 tag; default: the language of the searched texts that fits best'),
  spelling: z
    .boolean()
    .exactOptional()
    .describe(
      'whether words that no searched scope contains are searched as a word that one mistake separates from them; `corrections` in the response names them. Never with a key that has required labels: `true` is 400 there. Default: true',
    ),
  // The domain parses filters. Until then, the declared type is a claim of the caller.
  filter: z.custom<Filter>().meta({ $ref: '#/components/schemas/Filter' }).exactOptional(),
  origins: z.array(z.enum(ORIGINS)).min(1).exactOptional(),
  explain: z.boolean().default(false),
  atLeast: wire.position.exactOptional().describe('wait until the read models have reached this position'),
  asOf,
  conversation: z
    .string()
    .min(1)
    .max(200)
    .exactOptional()
    .describe(
      'any id of the conversation or end user behind the request, if one API key serves several: a canary of a model swap keeps all queries of a conversation on the same side. It is not recorded',
    ),
  snippetChars: z.number().int().min(40).max(2_000).default(300),
  terms: terms.exactOptional(),
  ...arrangement,
};

const problems = ['HistoryRemoved', 'NotFound', 'EmbeddingModelMismatch', 'NotCaughtUp', 'Unavailable', 'QuotaExceeded'] as const;

export const search = route({
  id: 'Search.search',
  method: 'post',
  path: '/v1/search',
  service: 'query',
  tag: 'Search',
  limitedByLabels: true,
  summary: 'Find the passages that match a query best, with their citations',
  description:
    'Searches all scopes that the caller may read, or only the given ones. If a given scope or knowledge base is unknown, or the caller may not read it, the response is 404 `NotFound`. `language` is the language of the query; by default, it is detected. With `explain`, each result shows how much each search contributed to its score. With `asOf`, the results are those of a moment in the past, to the last bit; documents that were deleted or changed since are found as they were. Such a search is not recorded.',
  role: 'reader',
  work: 'search',
  rate: 'search',
  idempotent: true,
  body: json(z.strictObject(fields)),
  status: 200,
  response: searchResult,
  problems,
  example: {
    body: {
      'application/json': {
        query: 'how many days may be carried over?',
        topK: 2,
        filter: { eq: { field: 'label.team', value: 'people' } },
        explain: true,
      },
    },
  },
});

export const retrieveContext = route({
  id: 'Search.context',
  method: 'post',
  path: '/v1/context',
  service: 'query',
  tag: 'Search',
  limitedByLabels: true,
  summary: 'Build a prompt section from the best passages within a token budget, each with its citation',
  description:
    'Returns a text to add to a prompt: an instruction that fits `grounding`, then the excerpts, with adjacent chunks merged and duplicates removed. `leftOut` lists every result that is not in the text. If `refuse` is true, the model must not answer.',
  role: 'reader',
  work: 'search',
  rate: 'context',
  idempotent: true,
  body: json(
    z.strictObject({
      ...fields,
      topK: fields.topK.unwrap().default(20),
      maxTokens: z.number().int().min(contextTokens.min).max(contextTokens.max).default(contextTokens.default),
      grounding: z.enum(GROUNDINGS).default('Preferred'),
      compress: z
        .boolean()
        .exactOptional()
        .describe(
          'whether passages that do not all fit are shortened to the sentences that carry the query, instead of leaving out whole ones. `[…]` marks what is left out. Default: false',
        ),
    }),
  ),
  status: 200,
  response: contextResult,
  problems,
  example: {
    body: {
      'application/json': {
        query: 'how many days may be carried over?',
        knowledgeBases: ['handbook'],
        maxTokens: 400,
        grounding: 'StrictlyGrounded',
      },
    },
  },
});
