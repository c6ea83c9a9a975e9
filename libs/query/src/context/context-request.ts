import { z } from 'zod';
import { parseInput } from '@palimpsest/contracts';
import { refined, searchFields, type SearchRequest } from '../search/search-request.ts';
import { GROUNDINGS, type Grounding } from './grounding.ts';

export const contextBody = z.strictObject({
  ...searchFields,
  topK: searchFields.topK.unwrap().default(20),
  maxTokens: z.number().int().min(50).max(100_000).default(2_000),
  grounding: z.enum(GROUNDINGS).default('Preferred'),
});

export type ContextRequest = Readonly<{ search: SearchRequest; maxTokens: number; grounding: Grounding }>;

/** @throws InvalidValue */
export const contextRequest = (raw: unknown): ContextRequest => {
  const { maxTokens, grounding, ...search } = parseInput(contextBody, raw);
  return { search: refined(search), maxTokens, grounding };
};
