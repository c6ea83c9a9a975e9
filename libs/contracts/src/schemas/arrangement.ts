import { z } from 'zod';

/** What a search does with its candidates after it has ranked them: in requests, and in the records of retrievals. */
export const arrangement = {
  collapse: z
    .boolean()
    .exactOptional()
    .describe(
      'whether the best of near-identical passages stands for all of them: it has `similar`, and other results move up. Default: false',
    ),
  groupBy: z
    .enum(['document'])
    .exactOptional()
    .describe('puts the passages of a document next to each other, at the place of the best one. `topK` still counts passages'),
  perGroup: z
    .number()
    .int()
    .min(1)
    .max(20)
    .exactOptional()
    .describe('with `groupBy`: maximum number of passages of a document. Default: 3'),
  diversity: z
    .number()
    .min(0)
    .max(1)
    .exactOptional()
    .describe(
      'how much the similarity to better results counts against a result (maximal marginal relevance with λ = 1 - `diversity`). Default: 0',
    ),
  expand: z
    .enum(['neighbours', 'section'])
    .exactOptional()
    .describe(
      'adds the passages around each result to it (`around`): those next to it, or those of the same section of its document, at most 8 on each side and 20,000 characters. Contexts contain them as far as the budget allows',
    ),
  neighbours: z
    .number()
    .int()
    .min(1)
    .max(3)
    .exactOptional()
    .describe('with `expand: "neighbours"`: number of passages on each side. Default: 1'),
} as const;
