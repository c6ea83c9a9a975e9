import { z } from 'zod';
import { CHUNKERS, type ChunkingNumber, type ChunkingSettings } from '@palimpsest/knowledge/values';
import { mapped } from '../mapped.ts';
import { wire } from '../schemas/values.ts';

const number = ({ min }: ChunkingNumber) => (min > 0 ? wire.ordinal : wire.count).exactOptional();

/** Settings as they are recorded. A part is missing if its chunker did not exist when they were set. */
export const chunkingSchema: z.ZodType<ChunkingSettings> = z.object(
  mapped(CHUNKERS, ({ settings }) => z.object(mapped<ChunkingNumber, z.ZodType>(settings, number)).exactOptional()),
);

export const embeddingSchema = z.object({
  version: wire.embeddingVersion,
  pooling: z.string().exactOptional(),
  normalised: z.boolean().exactOptional(),
  queryPrefix: z.string().exactOptional(),
  passagePrefix: z.string().exactOptional(),
  digest: z.string().exactOptional(),
});

/** Also stored by catalogs. */
export const recipeSchema = z.object({
  embedding: embeddingSchema,
  chunking: z.object({ settings: z.union([z.literal('knowledge-base'), chunkingSchema]), contextual: z.string() }),
  analyser: z.string(),
});
