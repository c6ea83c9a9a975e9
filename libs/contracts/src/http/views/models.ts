import { z } from 'zod';
import { MODEL_ORIGINS } from '@palimpsest/knowledge/models';
import { modelLimits } from '../../schemas/model-schemas.ts';
import { list, named, view } from '../view.ts';

const limits = named('ModelLimits', modelLimits.readonly(), 'How much of a model each process uses. A missing field means no limit.');
export type ModelLimits = z.infer<typeof limits>;

export const modelView = view(
  'ModelView',
  {
    id: z.string().describe('id for paths and commands: the version with `_` for other characters'),
    version: z.string().describe('embedding version: `<provider>:<model>/<dimensions>`'),
    dimensions: z.number(),
    current: z.boolean().describe('new scopes start with this model'),
    available: z.boolean().describe('the process that responds can compute vectors of this model'),
    origin: z.enum(MODEL_ORIGINS).exactOptional().describe('where the model is declared; for operators'),
    loaded: z.boolean().exactOptional().describe('in memory, or connected, in the process that responds; for operators'),
    location: z.string().exactOptional().describe('folder, or address of the endpoint; for operators'),
    limits: limits.exactOptional().describe('for operators'),
    pricePerMillionTokens: z.number().exactOptional().describe('US dollars; for operators'),
    problem: z.string().exactOptional().describe('why the model is not available in this process; for operators'),
  },
  'An embedding model of the installation.',
);
export type ModelView = z.infer<typeof modelView>;

export const modelList = view('ModelList', { models: list(modelView) });
export type ModelList = z.infer<typeof modelList>;

export const modelTest = view(
  'ModelTest',
  {
    id: z.string(),
    version: z.string(),
    dimensions: z.number().describe('dimensions of the vectors that were returned'),
    texts: z.number().describe('number of texts that were embedded'),
    tokens: z.number().describe('tokens of these texts'),
    loadMs: z.number().describe('milliseconds for the first text, including the time to load the model'),
    ms: z.number().describe('milliseconds for all texts in one call, once the model was loaded'),
    tokensPerSecond: z.number(),
    unitLengthError: z.number().describe('largest difference of the length of a vector from 1'),
    repeatable: z.boolean().describe('the same text had bit-identical vectors in two calls'),
    digest: z.string().describe('SHA-256 over the vectors of the canary strings: if it is the same, the model under this name is the same'),
    similarity: z
      .number()
      .exactOptional()
      .describe(
        'lowest cosine between a vector of a canary string and the recorded one: below 0.99, the model under this name has changed. Missing if the model was not used yet, or cannot change because its files have a digest',
      ),
  },
  'Result of a test with a few fixed sentences, without a cache.',
);
export type ModelTest = z.infer<typeof modelTest>;
