import { z } from 'zod';
import { wire } from '../schemas/values.ts';

export const chunkingSchema = z.object({
  markdown: z.object({ maxChars: wire.ordinal.exactOptional() }),
  tokens: z.object({ maxTokens: wire.ordinal.exactOptional(), overlap: wire.count.exactOptional(), minTokens: wire.count.exactOptional() }),
  sheets: z.object({ maxChars: wire.ordinal.exactOptional() }),
  code: z.object({ maxChars: wire.ordinal.exactOptional(), overlap: wire.count.exactOptional() }),
});

/** Also stored by catalogs. */
export const recipeSchema = z.object({
  embedding: z.object({
    version: wire.embeddingVersion,
    pooling: z.string().exactOptional(),
    normalised: z.boolean().exactOptional(),
    queryPrefix: z.string().exactOptional(),
    passagePrefix: z.string().exactOptional(),
    digest: z.string().exactOptional(),
  }),
  chunking: z.object({ settings: z.union([z.literal('knowledge-base'), chunkingSchema]), contextual: z.string() }),
  analyser: z.string(),
});
