import { z } from 'zod';
import { CUTOVERS } from '@palimpsest/knowledge/evaluation';
import { modelLimits } from '../schemas/model-schemas.ts';
import { wire } from '../schemas/values.ts';
import { recipeSchema } from './recipe-schema.ts';

export const author = z.object({ actor: z.string(), user: z.string().exactOptional() });
export const amount = z.number().min(0);

export const plannedBytes = z.object({ vectors: wire.count, memory: wire.count.exactOptional(), disk: wire.count.exactOptional() });

export const planSchema = z.object({
  scope: wire.scope,
  plan: wire.planId,
  recipe: recipeSchema,
  cutover: z.enum(CUTOVERS),
  limits: modelLimits,
  pricePerMillionTokens: amount.exactOptional(),
  cost: amount.exactOptional(),
  documents: wire.count,
  chunks: wire.count,
  tokens: z.object({
    texts: wire.count,
    embedded: wire.count,
    method: z.enum(['counted', 'sampled', 'estimated']),
    tokenizer: z.string(),
    read: wire.count,
    error: amount.exactOptional(),
  }),
  reusable: z.object({ chunks: wire.count, exact: z.boolean() }),
  rechunked: z
    .object({ present: wire.count, read: wire.count, kept: wire.count, exact: z.boolean(), error: amount.exactOptional() })
    .exactOptional(),
  time: z
    .object({
      seconds: amount,
      sampledChunks: wire.count,
      sampleSeconds: amount,
      refused: wire.count,
      limitedBy: z.enum(['model', 'tokensPerMinute', 'requestsPerMinute']),
    })
    .exactOptional(),
  bytes: plannedBytes,
  seed: wire.count,
  upTo: z.string().regex(/^[0-9]{1,20}$/),
  plannedAt: wire.time,
  by: author,
  knowledgeBases: z.array(z.object({ knowledgeBase: wire.knowledgeBaseId, documents: wire.count, chunks: wire.count, tokens: wire.count })),
});

export const planApprovedSchema = z.object({ scope: wire.scope, plan: wire.planId, approvedAt: wire.time, by: author });
