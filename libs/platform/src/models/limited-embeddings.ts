import type { System } from '@palimpsest/foundation';
import type { Embedding, EmbeddingProvider } from '@palimpsest/knowledge/ports';
import type { ModelLimits } from '@palimpsest/knowledge/models';
import { RequestGate } from './request-gate.ts';

/** Texts in one request to a model without a limit. */
export const DEFAULT_BATCH = 128;
/** UTF-16 units in one request: endpoints limit the size of a request, too. */
const MAX_BATCH_CHARS = 400_000;

type Batch = Readonly<{ texts: readonly string[]; tokens: number }>;

/**
 * A model within its limits: its texts are sent in batches that wait for their turn. A call fails with the first batch that fails; the
 * others are aborted. Tokens are counted with the tokenizer of the model, before the request. Without limits, it is the model itself. Two
 * ways to one model share its `gate`.
 */
export const limitedEmbeddings = (
  provider: EmbeddingProvider,
  limits: ModelLimits,
  system: Pick<System, 'clock' | 'scheduler'>,
  gate = new RequestGate(limits, system),
): EmbeddingProvider => {
  if (Object.keys(limits).length === 0) return provider;
  const { batchSize = DEFAULT_BATCH, tokensPerMinute } = limits;
  return {
    ...provider,
    window: () => provider.window(),
    close: () => provider.close(),
    embed: async (texts, kind, signal) => {
      signal?.throwIfAborted();
      if (texts.length === 0) return provider.embed(texts, kind, signal);
      const count = tokensPerMinute === undefined ? () => 0 : (await provider.window()).count;
      const failed = new AbortController();
      const either = signal === undefined ? failed.signal : AbortSignal.any([signal, failed.signal]);
      const answers = await Promise.all(
        batchesOf(texts, batchSize, count).map((batch) =>
          gate.run(batch.tokens, kind, either, () =>
            provider.embed(batch.texts, kind, either).catch((error: unknown) => {
              failed.abort(error);
              throw error;
            }),
          ),
        ),
      );
      return answers.flat() satisfies readonly Embedding[];
    },
  };
};

const batchesOf = (texts: readonly string[], maxTexts: number, count: (text: string) => number): readonly Batch[] => {
  const batches: { texts: string[]; tokens: number; chars: number }[] = [];
  for (const text of texts) {
    const last = batches.at(-1);
    const tokens = count(text);
    if (last === undefined || last.texts.length >= maxTexts || last.chars + text.length > MAX_BATCH_CHARS)
      batches.push({ texts: [text], tokens, chars: text.length });
    else {
      last.texts.push(text);
      last.tokens += tokens;
      last.chars += text.length;
    }
  }
  return batches;
};
