import { InvalidValue } from '../errors.ts';
import type { Branded } from './brand.ts';
import { PATTERNS } from './value-limits.ts';
import type { EmbeddingVersion } from './versions.ts';

/** Names a model in paths and commands: its version with `_` for `:` and `/`, for example `onnx_bge-small-en-v1.5-int8_384`. */
export type ModelId = Branded<string, 'ModelId'>;

const MODEL_ID = new RegExp(PATTERNS.modelId);

/** @throws InvalidValue */
export const modelId = (raw: unknown, field = 'model'): ModelId => {
  if (typeof raw !== 'string' || !MODEL_ID.test(raw))
    throw new InvalidValue(field, 'the id of a model, for example "onnx_bge-small-en-v1.5-int8_384"', raw);
  return raw as ModelId;
};

export const modelIdOf = (version: EmbeddingVersion): ModelId => modelId(version.replace(/[^A-Za-z0-9._-]/g, '_'));

/** How much of a model this installation uses at the same time and per minute. A missing limit does not apply. Each process counts on its own. */
export type ModelLimits = Readonly<{
  /** Maximum number of texts in one request to the model. */
  batchSize?: number;
  /** Maximum number of requests at the same time. */
  concurrency?: number;
  /** Maximum number of requests that start within any 60 seconds. */
  requestsPerMinute?: number;
  /** Maximum number of tokens in the requests that start within any 60 seconds. */
  tokensPerMinute?: number;
}>;

/** An endpoint with OpenAI's protocol for embeddings. */
export type EndpointDefinition = Readonly<{
  /** For example `http://127.0.0.1:8080/v1`. */
  baseUrl: string;
  model: string;
  /** Dimensions of its vectors. */
  dimensions: number;
  /** First part of the embedding version. Default: `openai`. */
  provider?: string;
  /** Name of the environment variable with the API key. The key itself is never stored. */
  apiKeyVariable?: string;
  queryPrefix?: string;
  passagePrefix?: string;
  /** Maximum number of tokens in one text. */
  maxTokens?: number;
  /** Whether to send `dimensions`, for models that can shorten their vectors. */
  sendDimensions?: boolean;
  /** Milliseconds for one request. */
  timeoutMs?: number;
  /** Attempts after the first one. */
  retries?: number;
}>;

/** A model as an operator describes it: exactly one of `onnx` (a folder) and `openai` (an endpoint). */
export type ModelDefinition = Readonly<{
  onnx?: string;
  openai?: EndpointDefinition;
  limits?: ModelLimits;
  /** US dollars for one million tokens. */
  pricePerMillionTokens?: number;
}>;

/** Where a model was declared: in the repository, by settings, in the file of `PALIMPSEST_MODELS`, or by an operator at run time. */
export const MODEL_ORIGINS = ['built-in', 'settings', 'file', 'operator'] as const;
export type ModelOrigin = (typeof MODEL_ORIGINS)[number];
