import { z } from 'zod';
import { REWRITINGS } from '../../schemas/rewriting.ts';
import { list, named, part, view } from '../view.ts';
import { origin, labels, lookedBack, position } from './documents.ts';
import { strategy } from './strategy-in-use.ts';

const scalar = z.union([z.string(), z.number(), z.boolean()]);

type Condition = z.infer<typeof scalar>;

/** Declared as a type because it refers to itself. */
export type Filter =
  | Readonly<{ and: readonly Filter[] }>
  | Readonly<{ or: readonly Filter[] }>
  | Readonly<{ not: Filter }>
  | Readonly<{ eq: Readonly<{ field: string; value: Condition }> }>
  | Readonly<{ in: Readonly<{ field: string; values: readonly Condition[] }> }>
  | Readonly<{ prefix: Readonly<{ field: string; value: string }> }>
  | Readonly<{ exists: Readonly<{ field: string }> }>
  | Readonly<{ range: Readonly<{ field: string; gt?: Condition; gte?: Condition; lt?: Condition; lte?: Condition }> }>;

const field = z.string();
const bound = scalar.exactOptional();

/** For descriptions. The domain parses filters, since it knows the fields. */
const filter: z.ZodType<Filter> = named(
  'Filter',
  z.union([
    part({ and: list(z.lazy(() => filter)) }),
    part({ or: list(z.lazy(() => filter)) }),
    part({ not: z.lazy(() => filter) }),
    part({ eq: part({ field, value: scalar }) }),
    part({ in: part({ field, values: list(scalar) }) }),
    part({ prefix: part({ field, value: z.string() }) }),
    part({ exists: part({ field }) }),
    part({ range: part({ field, gt: bound, gte: bound, lt: bound, lte: bound }) }),
  ]),
  'A condition on the metadata of a chunk (`label.<name>`, `origin`, `language`, …), with one operator per object.',
);

export type Explanation = Readonly<{ label: string; value: number; parts?: readonly Explanation[] }>;
const explanation: z.ZodType<Explanation> = view(
  'Explanation',
  { label: z.string(), value: z.number(), parts: list(z.lazy(() => explanation)).exactOptional() },
  'A value and its components.',
);

const hitExplanation = view('HitExplanation', {
  fusion: explanation.describe('`value` is the score of the result; its parts are the contributions of each search.'),
  relevance: part({ standing: z.number().exactOptional(), share: z.number().exactOptional() }).describe(
    'What `relevance` is computed from. `standing`: how many standard deviations the cosine is above those of unrelated passages. `share`: the BM25 score as a share of what the whole query could reach.',
  ),
  dense: part({ rank: z.number(), score: z.number() }).exactOptional(),
  lexical: part({ rank: z.number(), score: z.number(), terms: list(z.string()) })
    .describe('`terms`: the words that matched, as they are in the index.')
    .exactOptional(),
  stages: z
    .record(z.string(), part({ rank: z.number(), score: z.number(), note: z.string().exactOptional() }))
    .readonly()
    .describe(
      'The rank and score of the result in each stage that ranked it, by the name of the stage. `note`: what the stage did with it.',
    ),
  skipped: z
    .record(z.string(), z.string())
    .readonly()
    .describe('Stages that were skipped, with the reason: one that a search can do without failed, or exceeded its time budget.')
    .exactOptional(),
  generation: part({ generation: z.string(), embeddingVersion: z.string(), canary: z.literal(true).exactOptional() }).describe(
    'The generation of the scope that was searched. `canary`: the caller belongs to the share that it serves before its cut-over.',
  ),
  document: part({ version: z.number(), indexedAt: z.string() }).describe('The version of the document, and when it became visible.'),
});
export type HitExplanation = z.infer<typeof hitExplanation>;

const hit = view('Hit', {
  chunkId: z.string(),
  documentId: z.string(),
  knowledgeBase: z.string(),
  scope: z.string(),
  source: z.string(),
  title: z.string(),
  citation: z.string().describe('The source in readable form, for example `Handbook, p. 3, Chunk 2 of 9`.'),
  text: z.string(),
  contextPrefix: z.string(),
  snippet: part({
    text: z.string(),
    highlights: list(z.tuple([z.number().meta({ title: 'start' }), z.number().meta({ title: 'end' })]).readonly()),
  }).describe('`highlights` are pairs of offsets into `snippet.text`.'),
  score: z
    .number()
    .describe('Results are ordered by it, highest first, unless `diversity` or `groupBy` moved them. Comparable only within one response.'),
  relevance: z
    .number()
    .describe(
      'From 0 to 1: how probable it is that the passage is what the query looks for. It means the same with every model, fusion and scope. Results are not ordered by it.',
    ),
  rank: z.number().describe('Rank of the result, from 1.'),
  index: z.number(),
  of: z.number(),
  page: z.number().exactOptional(),
  lines: z
    .tuple([z.number().meta({ title: 'from' }), z.number().meta({ title: 'to' })])
    .readonly()
    .describe('First and last line in the document, from 1.'),
  headings: list(z.string()),
  origin,
  labels,
  language: z.string(),
  similar: part({ count: z.number(), passages: list(part({ chunkId: z.string(), documentId: z.string() })) })
    .describe('Only with `collapse`: the near-identical passages that this result stands for. `passages`: the best 20 of them.')
    .exactOptional(),
  around: list(part({ chunkId: z.string(), index: z.number(), text: z.string(), contextPrefix: z.string() }))
    .describe(
      'Only with `expand`: the passages around this result, in the order of the document. Their texts repeat nothing: joined with `text` by `index`, they are one passage.',
    )
    .exactOptional(),
  explain: hitExplanation
    .describe('Only on request: ranks and scores in each stage, matched terms, and when the document became visible.')
    .exactOptional(),
});
export type Hit = z.infer<typeof hit>;

export const timings = view(
  'Timings',
  {
    totalMs: z.number(),
    stages: list(part({ stage: z.string(), ms: z.number(), candidates: z.number(), note: z.string().exactOptional() })),
  },
  '`note`: why a stage was skipped.',
);
export type Timings = z.infer<typeof timings>;

const downgrade = view(
  'Downgrade',
  { asked: strategy, used: strategy, tier: z.string().exactOptional(), detail: z.string() },
  'The tenant may not use the requested strategy, so another one was used.',
);
export type Downgrade = z.infer<typeof downgrade>;

const defaultStrategy = view(
  'DefaultStrategy',
  { used: strategy, detail: z.string() },
  'Only for a request without a strategy, if a searched knowledge base has a default strategy: which one was used, and why.',
);

const lexicalOnly = list(part({ scope: z.string(), embeddingVersion: z.string(), detail: z.string() })).describe(
  'Scopes that a hybrid search could search by words only, because their embedding model is not configured. Missing if there are none.',
);

const ignoredTerms = list(z.string())
  .describe(
    'Required and excluded terms that were no condition in a searched scope: they have only stop words in the language of the query.',
  )
  .exactOptional();

const corrections = list(
  part({
    from: z.string(),
    to: z.string().describe('In lower case. Passages may have another form of it.'),
    chunks: z.number().describe('The number of passages of the searched scopes that have it.'),
  }),
)
  .describe(
    'Words of the query that no searched scope contains, and what the search by words looked for in their place: the most frequent word that one mistake separates from it. Missing if there are none.',
  )
  .exactOptional();

const synonyms = view(
  'SearchedSynonyms',
  {
    added: list(part({ word: z.string(), synonyms: list(z.string()) })).describe(
      'Words and phrases of the query, and what was searched in their place, too.',
    ),
    limited: z.literal(true).describe('Only the first 16 combinations were searched.').exactOptional(),
  },
  'Only if the searched knowledge bases have synonyms for words of the query.',
).exactOptional();

const reranked = view(
  'Reranking',
  {
    reranker: z.string().describe('Its name and version.'),
    outcome: z.enum(['blended', 'abstained', 'skipped']),
    candidates: z.number().describe('How many results the reranker scored, or would have scored.'),
    unscored: z
      .number()
      .describe('How many of them have no vector of a companion: for them, the score of the search counts instead. Missing: none.')
      .exactOptional(),
    weight: z.number().describe('Weight of its scores, 0 to 1; the scores of the search have the rest.'),
    reason: z.string().describe('Why the results are in the order of the search.').exactOptional(),
    detail: z.string(),
  },
  'Only for the strategy `DenseSparseRerank`. `blended`: the order is that of both scores. `abstained`: the scores of the reranker said nothing. `skipped`: it failed or took too long.',
).exactOptional();

const rewritten = view(
  'Rewriting',
  {
    by: z.enum(REWRITINGS),
    model: z.string().describe('The chat model, with the version of its instructions.'),
    outcome: z.enum(['rewritten', 'skipped']),
    texts: list(z.string()).describe('What it wrote; embedded together with the query.'),
    reason: z.string().describe('Why the query was embedded alone.').exactOptional(),
    detail: z.string(),
  },
  'Only for a request with `rewrite`. `skipped`: the chat model failed or took too long.',
).exactOptional();

const asOf = lookedBack.describe('Only for a request with `asOf`.').exactOptional();

export const searchResult = view('SearchResult', {
  hits: list(hit),
  asOf,
  downgraded: downgrade.exactOptional(),
  defaultStrategy: defaultStrategy.exactOptional(),
  lexicalOnly: lexicalOnly.exactOptional(),
  ignoredTerms,
  corrections,
  synonyms,
  rewritten,
  reranked,
  miss: z.boolean().describe('True if there is no close match: no result has a relevance of .05 or more.'),
  position,
  traceId: z.string(),
  timings: timings.describe('For operators only.').exactOptional(),
});
export type SearchResult = z.infer<typeof searchResult>;

/** How the results of both searches are combined. */
export const FUSIONS = ['zscore', 'rrf', 'weighted', 'simple'] as const;

export const GROUNDINGS = ['Permissive', 'Preferred', 'StrictlyGrounded'] as const;
export const grounding = named('Grounding', z.enum(GROUNDINGS));
export type Grounding = z.infer<typeof grounding>;

const citation = view('Citation', {
  label: z.string().describe('The label in the text, for example `[Doc Handbook, Chunk 2 of 9]`.'),
  chunkId: z.string(),
  documentId: z.string(),
  source: z.string(),
  title: z.string(),
  index: z.number(),
  of: z.number(),
  relevance: z.number(),
  truncated: z.boolean().describe('True if only the beginning of the chunk fitted into the budget.'),
  compressed: z.literal(true).exactOptional().describe('Only with `compress`: some sentences of the chunk are left out.'),
});
export type Citation = z.infer<typeof citation>;

export const contextResult = view(
  'ContextResult',
  {
    text: z.string(),
    fence: z
      .string()
      .describe(
        'A random marker, new for each request. Only lines of `text` that contain it begin or end an excerpt; the text between them is quoted.',
      ),
    citations: list(citation),
    leftOut: list(part({ chunkId: z.string(), reason: z.enum(['irrelevant', 'duplicate', 'budget']) })),
    tokens: z.number(),
    miss: z.boolean().describe('True if there is no close match: no passage has a relevance of .05 or more.'),
    refuse: z.boolean().describe('True if nothing was found and the grounding forbids an answer in that case.'),
    downgraded: downgrade.exactOptional(),
    defaultStrategy: defaultStrategy.exactOptional(),
    lexicalOnly: lexicalOnly.exactOptional(),
    ignoredTerms,
    corrections,
    synonyms,
    rewritten,
    reranked,
    asOf,
    position,
    traceId: z.string(),
    timings: timings.describe('For operators only.').exactOptional(),
  },
  'Text for a prompt, with its citations.',
);
export type ContextResult = z.infer<typeof contextResult>;
