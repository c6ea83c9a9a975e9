import { z } from 'zod';
import type { ModelDefinition } from '@palimpsest/knowledge/models';
import { MAX_DIMENSIONS } from '@palimpsest/knowledge/values';

const whole = (max: number) => z.number().int().min(1).max(max);

export const modelLimits = z.strictObject({
  batchSize: whole(2_048).exactOptional().describe('maximum number of texts in one request to the model; default: 128'),
  concurrency: whole(1_000).exactOptional().describe('maximum number of requests at the same time'),
  requestsPerMinute: whole(1_000_000).exactOptional().describe('maximum number of requests that start within any 60 seconds'),
  tokensPerMinute: whole(1_000_000_000).exactOptional().describe('maximum number of tokens in requests that start within any 60 seconds'),
});

const prefix = z.string().max(1_000);

const endpoint = z.strictObject({
  baseUrl: z
    .url({ protocol: /^https?$/, error: 'expected an http or https address' })
    .max(2_000)
    .refine((address) => URL.parse(address)?.username === '' && URL.parse(address)?.password === '', {
      error: 'expected an address without user name and password; name the variable of the key in `apiKeyVariable`',
    })
    .describe('address of the endpoint, for example `http://127.0.0.1:8080/v1`'),
  model: z
    .string()
    .regex(/^\S{1,150}$/, 'expected a name of 1 to 150 characters without spaces')
    .describe('name of the model at the endpoint'),
  dimensions: whole(MAX_DIMENSIONS).describe('dimensions of its vectors'),
  provider: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'expected 1-40 characters of a-z, 0-9, "-"')
    .exactOptional()
    .describe('first part of the embedding version; default: `openai`'),
  apiKeyVariable: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/, 'expected the name of an environment variable, not a key')
    .exactOptional()
    .describe('name of the environment variable that holds the API key, in every process that uses the model'),
  queryPrefix: prefix.exactOptional().describe('prepended to each query'),
  passagePrefix: prefix.exactOptional().describe('prepended to each passage'),
  maxTokens: z.number().int().min(32).max(1_000_000).exactOptional().describe('maximum number of tokens in one text'),
  sendDimensions: z.boolean().exactOptional().describe('send `dimensions`, for models that can shorten their vectors'),
  timeoutMs: whole(600_000).exactOptional().describe('milliseconds for one request; default: 60,000'),
  retries: z.number().int().min(0).max(20).exactOptional().describe('attempts after the first one; default: 3'),
});

const fields = {
  onnx: z.string().min(1).max(1_000).exactOptional().describe('folder of an ONNX model'),
  openai: endpoint.exactOptional().describe('endpoint with OpenAI’s protocol for embeddings'),
  limits: modelLimits.exactOptional(),
  pricePerMillionTokens: z.number().min(0).max(1_000_000).exactOptional().describe('US dollars for one million tokens'),
};

const hasOneSource = ({ onnx, openai }: ModelDefinition): boolean => (onnx === undefined) !== (openai === undefined);
const ONE_SOURCE = 'expected either `onnx` (a folder) or `openai` (an endpoint)';

export const modelDefinition = z.strictObject(fields).refine(hasOneSource, { error: ONE_SOURCE }) satisfies z.ZodType<ModelDefinition>;

/** The file that `PALIMPSEST_MODELS` names. */
export const modelsFile = z.strictObject({
  models: z
    .array(
      z
        .strictObject({ ...fields, default: z.boolean().default(false).describe('new scopes start with this model') })
        .refine(hasOneSource, { error: ONE_SOURCE }),
    )
    .min(1)
    .max(200)
    .refine((models) => models.filter(({ default: isDefault }) => isDefault).length <= 1, {
      error: 'expected at most one model with `"default": true`',
    }),
});

/** Environment variables that a model of an operator may name: others could hold secrets that no endpoint may receive. */
export const OPERATOR_KEY_VARIABLE = /^MODEL_API_KEY(?:_[A-Z0-9_]{1,80})?$/;
