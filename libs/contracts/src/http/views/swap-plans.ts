import { z } from 'zod';
import { CUTOVERS } from '@palimpsest/knowledge/evaluation';
import { list, part, view } from '../view.ts';
import { position } from './documents.ts';
import { commonChunking } from './swaps.ts';

export const planAuthor = part({ actor: z.string().describe('Id of the API key.'), user: z.string().exactOptional() });
const tokens = part({
  texts: z.number().describe('Tokens of all texts.'),
  embedded: z
    .number()
    .describe(
      'Tokens that the model will read: without chunks whose vector is reused, with the overlaps of long texts and with special tokens, as far as the embedded sample shows them.',
    ),
  method: z
    .enum(['counted', 'sampled', 'estimated'])
    .describe(
      '`counted`: every text, with the tokenizer of the model. `sampled`: a sample, with this tokenizer. `estimated`: the model has no tokenizer here.',
    ),
  tokenizer: z.string(),
  read: z.number().describe('Chunks whose text was counted.'),
  error: z.number().exactOptional().describe('Half of the 95 % interval as a share, if a sample was counted.'),
});
const time = part({
  seconds: z.number(),
  sampledChunks: z.number(),
  sampleSeconds: z.number(),
  refused: z.number().describe('Chunks of the sample that the model rejects.'),
  limitedBy: z.enum(['model', 'tokensPerMinute', 'requestsPerMinute']),
});
const bytes = part({
  vectors: z.number().describe('Chunks × dimensions × 4: the numbers alone.'),
  memory: z.number().exactOptional().describe('In the format of the index, with the lexical index. Missing if the index is a server.'),
  disk: z.number().exactOptional(),
});

const shape = {
  scope: z.string(),
  plan: z.string(),
  embeddingVersion: z.string(),
  chunking: commonChunking,
  cutover: z.enum(CUTOVERS),
  documents: z.number().describe('Indexed documents.'),
  chunks: z.number(),
  tokens,
  reusable: part({ chunks: z.number(), exact: z.boolean() }).describe('Chunks that have a vector of the model on the log already.'),
  rechunked: part({
    present: z.number().describe('Chunks that the scope has now.'),
    read: z.number(),
    kept: z.number().describe('Those of them that would keep their chunks.'),
    exact: z.boolean(),
    error: z.number().exactOptional().describe('Half of the 95 % interval of `chunks` as a share, if they are a sample.'),
  })
    .exactOptional()
    .describe('If the chunking changes: documents that were chunked again to count chunks and tokens.'),
  pricePerMillionTokens: z.number().exactOptional(),
  cost: z.number().exactOptional().describe('US dollars. Missing if the price of the model is unknown.'),
  time: time.exactOptional().describe('From an embedded sample. Not included: waiting behind documents and other swaps, the evaluation.'),
  bytes: bytes.describe('What the second generation uses until the first one is retired.'),
  knowledgeBases: list(part({ knowledgeBase: z.string(), documents: z.number(), chunks: z.number(), tokens: z.number() })),
  seed: z.number(),
  upTo: position,
  plannedAt: z.string(),
  plannedBy: planAuthor,
  approved: part({ at: z.string(), by: planAuthor }).exactOptional(),
  started: z.string().exactOptional().describe('The generation that this plan started.'),
};

export const swapPlanView = view('SwapPlanView', shape);
export type SwapPlanView = z.infer<typeof swapPlanView>;

export const swapPlanChanged = view('SwapPlanChanged', { ...shape, position });
export type SwapPlanChanged = z.infer<typeof swapPlanChanged>;

/** Sums over scopes. */
export const plannedTotals = {
  scopes: z.number(),
  documents: z.number(),
  chunks: z.number(),
  tokens: z.number().describe('Tokens that the model will read.'),
  reusable: z.number(),
  cost: z.number().exactOptional(),
  seconds: z.number().exactOptional().describe('One scope after the other. Missing if no sample was embedded.'),
  bytes,
};

export const swapPlanList = view('SwapPlanList', {
  plans: list(swapPlanView),
  left: list(part({ scope: z.string(), reason: z.string() })).describe('Scopes that need no plan, or cannot be planned now.'),
  total: part(plannedTotals),
});
export type SwapPlanList = z.infer<typeof swapPlanList>;

export const swapPlanTenants = view('SwapPlanTenants', {
  embeddingVersion: z.string(),
  tenants: list(part({ tenant: z.string(), ...plannedTotals })),
  total: part(plannedTotals),
});
export type SwapPlanTenants = z.infer<typeof swapPlanTenants>;
