import type { ModelLimits } from '@palimpsest/knowledge/models';
import type { PlannedTime, PlannedTokens } from '@palimpsest/knowledge/plans';
import { BATCH } from '../reembed-documents.ts';
import type { CountedTexts } from './count-texts.ts';
import type { EmbeddedSample } from './embed-sample.ts';

/** The name that an endpoint without a tokenizer gives its count. */
const ESTIMATE = 'estimate';
/** Half-width of a 95 % interval, in standard errors. */
const Z = 1.96;

/** Tokens of all texts, by a tokenizer or an estimate. `read`: texts that were counted; unless `isComplete`, `error` as in `PlannedTokens`. */
export type TextTokens = Readonly<{ sum: number; read: number; isComplete: boolean; error?: number }>;

export const textTokens = ({ chunks, read }: CountedTexts): TextTokens => {
  const all = read.map(({ tokens }) => tokens);
  const isComplete = read.length === chunks;
  const error = isComplete ? undefined : relativeError(all, chunks);
  const mean = read.length === 0 ? 0 : all.reduce((sum, tokens) => sum + tokens, 0) / read.length;
  return { sum: mean * chunks, read: read.length, isComplete, ...(error === undefined ? {} : { error }) };
};

/**
 * Tokens of all texts, and of those without a reusable vector (`missing`: their share). The texts that the model embedded show how many
 * tokens it reads for one that was counted.
 */
export const tokensOf = (
  { sum, read, isComplete, error }: TextTokens,
  tokenizer: string,
  missing: number,
  sample: Pick<EmbeddedSample, 'tokens' | 'counted'> | undefined,
): PlannedTokens => {
  const factor = sample && sample.counted > 0 ? sample.tokens / sample.counted : 1;
  const isEstimate = tokenizer === ESTIMATE;
  // An estimate has the unit of the model only after it was compared with what the model reports.
  const texts = sum * (isEstimate ? factor : 1);
  const embedded = texts * (isEstimate ? 1 : factor) * missing;
  const method = isEstimate ? 'estimated' : isComplete ? 'counted' : 'sampled';
  return {
    ...{ texts: Math.round(texts), embedded: Math.round(embedded), method, tokenizer, read },
    ...(error === undefined ? {} : { error }),
  };
};

/** Half of the 95 % interval of the mean of a sample without replacement, from `all`, as a share of the mean. */
export const relativeError = (sample: readonly number[], all: number): number | undefined => {
  const n = sample.length;
  const mean = sample.reduce((sum, value) => sum + value, 0) / n;
  if (n < 2 || mean === 0) return undefined;
  const variance = sample.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1);
  return (Z * Math.sqrt((variance / n) * (1 - n / all))) / mean;
};

/**
 * The speed of the sample, unless a limit per minute is lower. Not included: writing to the log, waiting behind documents and other swaps, the evaluation.
 */
export const timeOf = (
  sample: EmbeddedSample,
  chunks: number,
  tokens: number,
  { tokensPerMinute, requestsPerMinute, batchSize = BATCH }: ModelLimits,
): PlannedTime => {
  const vectors = (chunks * sample.vectors) / sample.chunks;
  const byModel = (chunks * sample.seconds) / sample.chunks;
  const byTokens = tokensPerMinute === undefined ? 0 : (60 * tokens) / tokensPerMinute;
  const byRequests = requestsPerMinute === undefined ? 0 : (60 * vectors) / Math.min(batchSize, BATCH) / requestsPerMinute;
  const seconds = Math.max(byModel, byTokens, byRequests);
  const limitedBy = seconds === byModel ? 'model' : seconds === byTokens ? 'tokensPerMinute' : 'requestsPerMinute';
  return { seconds, sampledChunks: sample.chunks, sampleSeconds: sample.seconds, refused: sample.refused, limitedBy };
};
