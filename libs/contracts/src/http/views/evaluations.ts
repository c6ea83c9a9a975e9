import { z } from 'zod';
import { list, part, view } from '../view.ts';
import { position } from './documents.ts';
import { evaluationRun, queryWindow } from './swaps.ts';

export const EVALUATION_VERDICTS = ['not-worse', 'worse', 'undecided'] as const;
const verdict = z.enum(EVALUATION_VERDICTS);
const source = z.enum(['golden', 'self']);
export const evaluationLatency = part({ p50: z.number(), p95: z.number() });
const result = part({ documentId: z.string(), source: z.string().exactOptional().describe('Missing if the document no longer exists.') });

const agreement = part({ overlap: z.number(), rbo: z.number(), scoreShift: z.number(), rankShift: z.number() });
const past = part({
  window: queryWindow.exactOptional().describe('When they were recorded. Missing if the newest ones were asked.'),
  used: z.number().describe('Different queries that were searched on both sides.'),
  leftOut: z.number().describe('Retrieval records of the scope whose query is not recorded, no longer opens, or is refused by a model.'),
  withoutResults: part({ before: z.number(), after: z.number() }).describe(
    'Queries without a document whose score reaches the `minScore` that the caller set.',
  ),
  agreement: agreement.exactOptional(),
  bestScore: part({ before: z.number(), after: z.number() }).exactOptional().describe('Medians of the score of the best document.'),
});

const scoreFloors = part({
  basis: z
    .enum(['people', 'passages'])
    .describe('`people`: judged and past queries. `passages`: passages of chunks, since there are fewer than 50 of the others.'),
  queries: z.number(),
  floors: list(
    part({
      before: z.number(),
      after: z.number(),
      share: z.number().describe('Of the results that are kept, 0 to 1.'),
      results: z
        .number()
        .exactOptional()
        .describe(
          'How many results the floor keeps, or leaves out if these are fewer. Below 50, the floor is a rough guess. Missing in evaluations of earlier versions.',
        ),
    }),
  ),
});

export const evaluationMeasure = part({
  source: source.describe(
    '`golden`: queries that people judged. `self`: passages of chunks; the document of the chunk is the relevant one.',
  ),
  measure: z.string(),
  queries: z.number(),
  before: z.number(),
  after: z.number(),
  difference: z.number(),
  interval: list(z.number()).describe('Lower and upper end of the 95 % interval of the difference.'),
  p: z.number(),
  smallestDetectableEffect: z.number(),
  verdict,
  additionalQueries: z.number().exactOptional(),
  better: z.number(),
  worse: z.number(),
});

const changedQuery = part({
  source,
  name: z.string().describe('Set, version and id of a judged query, or the id of the chunk.'),
  text: z.string().exactOptional().describe('Missing if the query or its chunk no longer exists.'),
  before: z.number(),
  after: z.number(),
  resultsBefore: list(result),
  resultsAfter: list(result),
});

export const evaluationView = view(
  'EvaluationView',
  {
    scope: z.string(),
    generation: z.string(),
    against: z.string().describe('The generation that was active.'),
    verdict,
    reasons: list(z.string()),
    decidedBy: z.enum(['golden', 'self', 'faults']).describe('The queries that decided; `faults`: missing or wrong vectors.'),
    additionalQueries: z.number().exactOptional().describe('How many more queries would probably decide it.'),
    margin: z.number().describe('The loss of nDCG@10 that is accepted.'),
    seed: z.number(),
    from: position,
    upTo: position,
    measures: list(evaluationMeasure),
    coverage: part({ chunks: z.number(), refused: z.number(), unexplained: z.number() }).describe(
      '`refused`: chunks that the model rejected. `unexplained`: chunks without a vector and without a reason.',
    ),
    golden: part({ used: z.number(), synthetic: z.number(), unusable: z.number() }).describe(
      'Judged queries that were used, that a model wrote (left out), and that have no relevant document that exists.',
    ),
    unsettled: z.number().describe('Queries that were left out because documents changed during each attempt.'),
    agreement: agreement
      .exactOptional()
      .describe('How alike the first ten results of both sides are, and how far scores and ranks moved. A low overlap alone is not bad.'),
    past: past
      .exactOptional()
      .describe(
        'How the results of queries that callers asked earlier changed. They have no judgements and never decide. Missing if the tenant does not let the platform record queries (`recordQueries`).',
      ),
    scoreFloors: scoreFloors
      .exactOptional()
      .describe(
        'For each `minScore` with the old model, the one that keeps the same share of the first ten documents with the new one. Nothing is changed automatically. Missing with fewer than 50 queries; floors that keep or leave out fewer than 10 results are not listed.',
      ),
    latency: part({ before: evaluationLatency, after: evaluationLatency })
      .exactOptional()
      .describe('Milliseconds to embed and search one query.'),
    spotCheck: part({ checked: z.number(), mismatched: z.number(), lowest: z.number().exactOptional() }).describe(
      'Chunks that were embedded again. `lowest`: the lowest cosine between the new vector and the stored one.',
    ),
    canaryStrings: part({ strings: z.number(), lowest: z.number() })
      .exactOptional()
      .describe(
        'The model of the generation is still the same: the lowest cosine between a vector of a canary string and the recorded one. Missing for a model whose files have a digest.',
      ),
    evaluatedAt: z.string(),
    by: z.enum(['person', 'platform']),
    sets: list(part({ name: z.string(), version: z.number(), queries: z.number() })),
    refused: list(part({ chunkId: z.string(), reason: z.string() })).describe('At most 100.'),
    unexplained: list(z.string()).describe('Ids of chunks, at most 100.'),
    mismatched: list(part({ chunkId: z.string(), cosine: z.number() })).describe('At most 100.'),
    missingDocuments: list(z.string()).describe('Judged documents that no longer exist, at most 100. They do not count.'),
    worst: list(changedQuery).describe('The queries of the deciding source that lost most, at most 10.'),
    best: list(changedQuery).describe('Those that gained most, at most 10.'),
  },
  'The comparison of a generation with the active one, with its evidence.',
);
export type EvaluationView = z.infer<typeof evaluationView>;

export const evaluationStarted = view(
  'EvaluationStarted',
  {
    scope: z.string(),
    evaluationRun,
    status: z.string().describe('Path of the status of the swap, which shows the progress as `evaluationRun`.'),
    result: z.string().describe('Path of the latest evaluation: the result, once the run is complete.'),
  },
  'An evaluation that runs in the background.',
);
export type EvaluationStarted = z.infer<typeof evaluationStarted>;
