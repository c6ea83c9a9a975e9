import { z } from 'zod';
import { STRATEGIES } from '@palimpsest/knowledge/values';
import { named, part, view } from '../view.ts';

export const strategy = named('Strategy', z.enum(STRATEGIES));
export type Strategy = z.infer<typeof strategy>;

export const strategyFields = {
  strategy,
  reranker: part({
    version: z.string(),
    weight: z.number().describe('Weight of its scores, 0 to 1; the scores of the search have the rest.'),
    candidates: z.number().describe('How many results it scores at least.'),
  })
    .exactOptional()
    .describe('Only of `DenseSparseRerank`.'),
};

export const strategyInUse = view('StrategyInUse', strategyFields);
export type StrategyInUse = z.infer<typeof strategyInUse>;
