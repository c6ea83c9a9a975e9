import { embeddingVersionOf, InvalidValue, type EmbeddingVersion } from '@palimpsest/knowledge';

import { DEFAULT_RETRY_POLICY, type RetryPolicy } from './retries.ts';

export type OpenAiEmbeddingsOptions = Readonly<{
  /** OpenAI's own endpoint when left out; any endpoint that speaks its protocol, for example `http://localhost:8080/v1`. */
  baseUrl?: string;
  /** For an endpoint without keys: any text. */
  apiKey: string;
  model: string;
  /** The width of its vectors, which every answer is checked against. */
  dimensions: number;
  /** Asks the endpoint for `dimensions`; only models that can shorten their vectors take it. False by default. */
  sendDimensions?: boolean;
  /** First part of the `EmbeddingVersion`, `openai` by default: another one for another maker's model of the same name. */
  provider?: string;
  /** Put before each query, or each passage, for a model that wants it. */
  queryPrefix?: string;
  passagePrefix?: string;
  /** Texts, and characters, in one request: 128 and 400,000 by default. */
  maxBatch?: number;
  maxBatchChars?: number;
  /** Tokens that the model reads, 8,191 for OpenAI's own `text-embedding-` models, else 512 by default. Counted by estimate. */
  maxTokens?: number;
  /** A longer text is cut: 16 characters for each token by default, prefix included. */
  maxChars?: number;
  /** Requests at the same time, for each call: 4 by default. */
  concurrency?: number;
  /** For one request and its answer, 60,000 ms by default. */
  timeoutMs?: number;
  /** How vectors travel: base64 (the default) is a quarter of the size. Both are understood, whatever was asked for. */
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

const OPENAIS_OWN = /^text-embedding-(?:3-|ada-)/;
/** UTF-16 units. */
const LONGEST_TOKEN = 16;

const COUNTS = ['maxBatch', 'maxBatchChars', 'maxTokens', 'maxChars', 'concurrency', 'timeoutMs'] as const;

/** @throws InvalidValue naming the option */
export const openAiSettings = (options: OpenAiEmbeddingsOptions): OpenAiSettings => {
  const { maxTokens = OPENAIS_OWN.test(options.model) ? 8_191 : 512 } = options;
  const settings = { ...DEFAULTS, maxTokens, maxChars: maxTokens * LONGEST_TOKEN, ...options, retry: { ...DEFAULT_RETRY_POLICY, ...options.retry } };
  if (settings.apiKey === '') throw new InvalidValue('apiKey', 'a key (any text for an endpoint without keys)', '');
  if (!/^https?:$/.test(URL.parse(settings.baseUrl)?.protocol ?? ''))
    throw new InvalidValue('baseUrl', 'an http or https URL', settings.baseUrl);
  for (const name of COUNTS)
    if (!Number.isInteger(settings[name]) || settings[name] < 1) throw new InvalidValue(name, 'a whole number from 1', settings[name]);
  return { ...settings, version: embeddingVersionOf(settings) };
};
