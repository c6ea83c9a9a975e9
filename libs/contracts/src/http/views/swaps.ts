import { z } from 'zod';
import { CUTOVERS } from '@palimpsest/knowledge/evaluation';
import { list, part, view } from '../view.ts';
import { canarySummary } from './canaries.ts';
import { position } from './documents.ts';
import { chunking } from './knowledge-bases.ts';

export const commonChunking = chunking
  .exactOptional()
  .describe('Chunking settings that apply to every knowledge base of the scope. Missing: each has its own.');

export const queryWindow = part({ after: z.string().exactOptional(), before: z.string().exactOptional() });

const swapProgress = part({
  generation: z.string(),
  embeddingVersion: z.string(),
  cutover: z.enum(CUTOVERS),
  pastQueries: queryWindow.exactOptional().describe('Which past queries the gate asks. Missing if it asks the newest ones.'),
  startedAt: z.string(),
  ranges: part({ done: z.number(), total: z.number() }).describe('Ranges of documents that are embedded.'),
  chunks: z.number().describe('Chunks of the embedded ranges.'),
  total: z
    .number()
    .describe('All chunks of the scope. With another chunking, an estimate from the ranges that are done, until the generation is built.'),
  withoutVector: z.number().describe('Chunks that the model rejected; only lexical search finds them.'),
  tokens: z.number().describe('Embedded tokens.'),
  cost: z.number().exactOptional().describe('Of these tokens, in dollars. Missing if the model has no price.'),
  chunksPerSecond: z.number().exactOptional().describe('Since the start, without pauses. Missing before the first range is done.'),
  remainingSeconds: z.number().exactOptional().describe('The rest at this rate. Missing once the generation is built.'),
  slowed: part({
    percent: z.number().describe('Share of the time that it embeds.'),
    because: z
      .enum(['load', 'cap'])
      .describe('`load`: searches are slower than before the swap, or more and more documents wait. `cap`: the setting.'),
  })
    .exactOptional()
    .describe('Set while the process that answers embeds at a reduced rate.'),
  paused: part({ reason: z.string(), by: z.enum(['person', 'platform']), at: z.string() }).exactOptional(),
  built: part({ chunks: z.number(), withoutVector: z.number(), upTo: position, at: z.string() })
    .exactOptional()
    .describe('Set once every chunk that was indexed up to the position `upTo` has its vector or was rejected.'),
});

export const evaluationRun = part({
  run: z.string().describe('Its id.'),
  state: z.enum(['evaluating', 'complete', 'failed']),
  by: z.enum(['person', 'platform']),
  startedAt: z.string(),
  queries: part({ done: z.number(), total: z.number() })
    .exactOptional()
    .describe('Queries that were asked on both sides, of all. Missing while the vectors are checked and the queries are drawn.'),
  endedAt: z.string().exactOptional(),
  reason: z.string().exactOptional().describe('Why it failed.'),
});

const shape = {
  scope: z.string(),
  state: z
    .enum(['idle', 'building', 'paused', 'ready'])
    .describe('`idle`: no swap waits for work or for its cut-over. `ready`: built, and waits for its evaluation or its cut-over.'),
  generations: list(part({ generation: z.string(), embeddingVersion: z.string(), status: z.string(), chunking: commonChunking })),
  evaluation: part({
    generation: z.string(),
    against: z.string(),
    verdict: z.enum(['not-worse', 'worse', 'undecided']),
    reasons: list(z.string()),
    evaluatedAt: z.string(),
  })
    .exactOptional()
    .describe('The latest evaluation, if there is one.'),
  evaluationRun: evaluationRun
    .exactOptional()
    .describe(
      'The evaluation that the process that responds runs, otherwise its last one since its start. An evaluation ends with its process: after a restart, there is none.',
    ),
  plan: part({
    plan: z.string(),
    embeddingVersion: z.string(),
    chunking: commonChunking,
    cutover: z.enum(CUTOVERS),
    plannedAt: z.string(),
    approved: z.boolean().describe('Another person approved it.'),
    started: z.string().exactOptional().describe('The generation that it started.'),
  })
    .exactOptional()
    .describe('The latest plan, if there is one.'),
  notRechunked: part({
    total: z.number(),
    documents: list(part({ documentId: z.string(), source: z.string(), reason: z.string() })).describe('At most 20 of them.'),
  })
    .exactOptional()
    .describe(
      'Documents that the new generation has with their old chunks, because they could not be chunked again, for example because their upload is lost.',
    ),
  canary: canarySummary.exactOptional().describe('The latest canary, if there is one. It runs if `ended` is missing.'),
  swap: swapProgress.exactOptional().describe('The running swap, otherwise the latest one. Missing if there never was one.'),
};

export const swapView = view('SwapView', shape);
export type SwapView = z.infer<typeof swapView>;

export const swapChanged = view(
  'SwapChanged',
  {
    ...shape,
    position,
    freed: part({ memory: z.number(), disk: z.number() })
      .exactOptional()
      .describe('Bytes that a retired generation no longer uses, measured. Missing after other steps, and if the index is a server.'),
  },
  '`position`: position of the event, or of the latest one if nothing changed.',
);
export type SwapChanged = z.infer<typeof swapChanged>;

export const swapList = view('SwapList', { swaps: list(swapView) });
export type SwapList = z.infer<typeof swapList>;
