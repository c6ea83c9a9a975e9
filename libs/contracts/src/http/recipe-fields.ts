import { z } from 'zod';
import { chunkingSchema } from '../schemas/chunking-schema.ts';

/** What a swap can change of a scope. */
export const recipeFields = {
  embeddingVersion: z
    .string()
    .max(200)
    .exactOptional()
    .describe(
      'the new model, one of `models.available` of the status; default: the current model, or that of the scope if only `chunking` is given',
    ),
  chunking: z
    .union([z.literal('knowledge-base'), chunkingSchema])
    .exactOptional()
    .describe(
      'chunk all documents again: with these settings, which then apply to every knowledge base of the scope, or (`knowledge-base`) with those of each knowledge base; default: as now',
    ),
  analyser: z.string().max(200).exactOptional().describe('version of the word analysis; a build has one, and others are refused'),
  contextual: z.string().max(200).exactOptional().describe('variant of contextual descriptions; only `none` exists'),
};
