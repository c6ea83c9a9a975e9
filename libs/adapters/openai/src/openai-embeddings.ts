import type OpenAI from 'openai';
import { truncateText } from '@palimpsest/foundation';
import { InvalidValue, Unavailable } from '@palimpsest/knowledge/errors';
import type { Embedding, EmbeddingKind, EmbeddingProvider } from '@palimpsest/knowledge/ports';

import { unitsOfTokens } from './estimated-tokens.ts';
import { endpointWindow } from './endpoint-window.ts';
import { embeddingAnswer } from './embedding-answer.ts';
import { endpointClient } from './endpoint-client.ts';
import { endpointFailure } from './endpoint-failure.ts';
import { inParallel } from './in-parallel.ts';
import { openAiSettings, type OpenAiEmbeddingsOptions, type OpenAiSettings } from './openai-options.ts';
import { AttemptFailed, withRetries } from './retries.ts';
import { textBatches } from './text-batches.ts';

/** For endpoints that do not report token counts: the rule of thumb for English. */
const CHARS_PER_TOKEN = 4;

/**
 * Embeddings of OpenAI, or of any endpoint with its protocol. Whether the same text always gives the same vector depends on the
 * endpoint. Token counts are the endpoint's count for a batch, distributed by text length.
 *
 * In addition to the errors of the port, `embed` throws Overloaded (429, after retries), Unavailable (cannot be reached, fails,
 * rejects the key), InvalidValue (rejects the text), EmbeddingModelMismatch (vectors with other dimensions).
 *
 * @throws InvalidValue that names the option
 */
export const openOpenAiEmbeddings = (options: OpenAiEmbeddingsOptions): EmbeddingProvider => {
  const settings = openAiSettings(options);
  const client = endpointClient(settings);
  const closing = new AbortController();

  return {
    version: settings.version,
    window: async () => endpointWindow(settings),
    embed: async (texts, kind, signal) => {
      const inputs = readableTexts(texts, kind, settings);
      const batches = textBatches(
        inputs.map(({ text }) => text),
        settings.maxBatch,
        settings.maxBatchChars,
      );
      const either = AbortSignal.any([closing.signal, ...(signal === undefined ? [] : [signal])]);
      either.throwIfAborted();
      const answers = await inParallel(batches, settings.concurrency, either, (batch, stop) =>
        withRetries(() => request(client, settings, batch, stop), settings.retry, stop),
      );
      return answers.flat().map((embedding, i) => ({ ...embedding, truncated: inputs[i]?.truncated ?? false }));
    },
    close: async () => closing.abort(new Unavailable('the embedding provider is closed')),
  };
};

/** @throws InvalidValue that names the text by its index, not by its content */
const readableTexts = (
  texts: readonly string[],
  kind: EmbeddingKind,
  { maxTokens, maxChars, queryPrefix, passagePrefix }: OpenAiSettings,
) =>
  texts.map((text, i) => {
    if (text.trim() === '') throw new InvalidValue(`texts[${i}]`, 'a text that is not blank', text);
    const whole = (kind === 'query' ? queryPrefix : passagePrefix) + text;
    const readable = whole.slice(0, maxChars);
    return truncateText(whole, Math.min(maxChars, unitsOfTokens(readable, maxTokens)));
  });

const request = async (
  client: OpenAI,
  { model, dimensions, sendDimensions, encoding, timeoutMs, version }: OpenAiSettings,
  batch: readonly string[],
  stop: AbortSignal,
): Promise<readonly Omit<Embedding, 'truncated'>[]> => {
  const body = { model, input: [...batch], encoding_format: encoding, ...(sendDimensions ? { dimensions } : {}) };
  // The client's own timeout ends with the headers; this one includes the response body.
  const late = AbortSignal.timeout(timeoutMs);
  const answer: unknown = await client.embeddings.create(body, { signal: AbortSignal.any([stop, late]) }).catch((fault: unknown) => {
    stop.throwIfAborted();
    if (late.aborted) throw new AttemptFailed(new Unavailable(`the embedding endpoint did not respond within ${timeoutMs} ms`), 'soon');
    throw endpointFailure(fault);
  });
  const { vectors, promptTokens } = embeddingAnswer(answer, batch.length, version);
  const shares = tokenShares(batch, promptTokens);
  return vectors.map((vector, i) => ({ vector, tokens: shares[i] ?? 1 }));
};

/** Distributes the batch's token count by text length. The sum is the endpoint's count, except that each text has at least one. */
const tokenShares = (batch: readonly string[], promptTokens: number | undefined): readonly number[] => {
  const chars = batch.reduce((sum, text) => sum + text.length, 0);
  const tokensPerChar = promptTokens === undefined ? 1 / CHARS_PER_TOKEN : promptTokens / chars;
  let read = 0;
  return batch.map((text) => {
    const before = Math.round(read * tokensPerChar);
    read += text.length;
    return Math.max(1, Math.round(read * tokensPerChar) - before);
  });
};
