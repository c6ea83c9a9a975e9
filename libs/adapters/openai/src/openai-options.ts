import { LONGEST_TOKEN } from '@palimpsest/foundation';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import { embeddingVersionOf, type EmbeddingVersion } from '@palimpsest/knowledge/values';

import { DEFAULT_RETRY_POLICY, type RetryPolicy } from './retries.ts';

export type OpenAiEmbeddingsOptions = Readonly<{
  /** Any endpoint with OpenAI's protocol, for example `http://localhost:8080/v1`. Default: OpenAI's own endpoint. */
  baseUrl?: string;
  /** Any text for an endpoint without keys. */
  apiKey: string;
  model: string;
  /** Dimensions of the vectors. Every response is checked against them. */
  dimensions: number;
  /** Whether to send `dimensions` to the endpoint; only models that can shorten their vectors accept it. Default: false. */
  sendDimensions?: boolean;
  /** First part of the `EmbeddingVersion`. Default: `openai`. Use another one for another vendor's model of the same name. */
  provider?: string;
  /** Prepended to each query or passage, for models that require it. */
  queryPrefix?: string;
  passagePrefix?: string;
  /** Maximum number of texts and of characters in one request. Default: 128 and 400,000. */
  maxBatch?: number;
  maxBatchChars?: number;
  /** Token limit of the model; tokens are estimated. Default: 8,191 for OpenAI's own `text-embedding-` models, otherwise 512. */
  maxTokens?: number;
  /** Longer texts are truncated, prefix included. Default: 16 characters for each token. */
  maxChars?: number;
  /** Parallel requests for each call. Default: 4. */
  concurrency?: number;
  /** Timeout for one request including its response. Default: 60,000 ms. */
  timeoutMs?: number;
  /** Encoding of vectors to request: base64 (the default) is a quarter of the size. Both are accepted in responses. */
  encoding?: 'base64' | 'float';
  retry?: Partial<RetryPolicy>;
}>;

export type OpenAiSettings = Required<Omit<OpenAiEmbeddingsOptions, 'retry'>> & Readonly<{ retry: RetryPolicy; version: EmbeddingVersion }>;

const DEFAULTS = {
  baseUrl: 'https://api.openai.com/v1',
  provider: 'openai',
  sendDimensions: false,
  queryPrefix: '',
  passagePrefix: '',
  maxBatch: 128,
  maxBatchChars: 400_000,
  concurrency: 4,
  timeoutMs: 60_000,
  encoding: 'base64',
} as const;

const OPENAI_MODEL = /^text-embedding-(?:3-|ada-)/;

const COUNTS = ['maxBatch', 'maxBatchChars', 'maxTokens', 'maxChars', 'concurrency', 'timeoutMs'] as const;

/** @throws InvalidValue that names the option */
export const openAiSettings = (options: OpenAiEmbeddingsOptions): OpenAiSettings => {
  const { maxTokens = OPENAI_MODEL.test(options.model) ? 8_191 : 512 } = options;
  const settings = {
    ...DEFAULTS,
    maxTokens,
    maxChars: maxTokens * LONGEST_TOKEN,
    ...options,
    retry: { ...DEFAULT_RETRY_POLICY, ...options.retry },
  };
  if (settings.apiKey === '') throw new InvalidValue('apiKey', 'a key (any text for an endpoint without keys)', '');
  if (!/^https?:$/.test(URL.parse(settings.baseUrl)?.protocol ?? ''))
    throw new InvalidValue('baseUrl', 'an http or https URL', settings.baseUrl);
  for (const name of COUNTS)
    if (!Number.isInteger(settings[name]) || settings[name] < 1) throw new InvalidValue(name, 'a whole number from 1', settings[name]);
  return { ...settings, version: embeddingVersionOf(settings) };
};
