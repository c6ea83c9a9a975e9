import { embedPassages, searchText, type EmbeddedPassage } from '@palimpsest/contracts';
import type { Scheduler } from '@palimpsest/foundation';
import { EmbeddingModelMismatch, KnowledgeError, Unavailable } from '@palimpsest/knowledge/errors';
import type { ChunkText } from '@palimpsest/knowledge/events';
import type { Embedder } from '@palimpsest/knowledge/ports';
import { BATCH } from '../reembed-documents.ts';

/**
 * `refused`: texts that the model rejects, which do not count otherwise. `tokens`: what the model reported. `counted`: what its tokenizer, or the estimate, counts in these texts. `vectors`: texts that are too
 * long have several.
 */
export type EmbeddedSample = Readonly<{
  chunks: number;
  refused: number;
  vectors: number;
  seconds: number;
  tokens: number;
  counted: number;
}>;

type SamplePorts = Readonly<{ elapsed: () => number; scheduler: Scheduler; concurrency: number }>;

/** After this time, no further batch is sent. */
const DEADLINE_MS = 20_000;
/** A model that answers nothing within this time cannot be planned with. */
const GIVE_UP_MS = 60_000;

/**
 * Embeds texts in the way of a swap: in batches of the same size, the same number of them at the same time. One text goes first and
 * does not count, since it may load the model. The vectors are not kept. @throws errors of the model; Unavailable after a minute
 */
export const embedSample = async (
  { elapsed, scheduler, concurrency }: SamplePorts,
  model: Embedder,
  texts: readonly ChunkText[],
  signal: AbortSignal,
): Promise<EmbeddedSample | undefined> => {
  const [first] = texts;
  if (!first) return undefined;
  const giveUp = new AbortController();
  const cancel = scheduler.after(GIVE_UP_MS, () =>
    giveUp.abort(new Unavailable(`the model ${model.version} did not answer within a minute`)),
  );
  const either = AbortSignal.any([signal, giveUp.signal]);
  try {
    await accepted(model, [first], either);
    const { count } = await model.window();
    const batches = Array.from({ length: Math.ceil(texts.length / BATCH) }, (_, at) => texts.slice(at * BATCH, (at + 1) * BATCH));
    const begin = elapsed();
    const sum = { chunks: 0, refused: 0, vectors: 0, tokens: 0, counted: 0 };
    const embed = async (batch: readonly ChunkText[]): Promise<void> => {
      const embedded = await accepted(model, batch, either);
      if (!embedded && batch.length > 1) for (const text of batch) await embed([text]);
      else if (!embedded) sum.refused++;
      for (const [at, { tokens, further = [] }] of (embedded ?? []).entries()) {
        sum.chunks++;
        sum.vectors += 1 + further.length;
        sum.tokens += tokens;
        sum.counted += count(searchText(batch[at] as ChunkText));
      }
    };
    const work = async (): Promise<void> => {
      for (let batch = batches.shift(); batch && elapsed() - begin < DEADLINE_MS; batch = batches.shift()) await embed(batch);
    };
    await Promise.all(Array.from({ length: concurrency }, work));
    return sum.chunks === 0 ? undefined : { ...sum, seconds: Math.max(elapsed() - begin, 1) / 1_000 };
  } finally {
    cancel();
  }
};

/** Undefined if the model rejects one of the texts, as a swap handles it. */
const accepted = async (
  model: Embedder,
  texts: readonly ChunkText[],
  signal: AbortSignal,
): Promise<readonly EmbeddedPassage[] | undefined> => {
  try {
    return await embedPassages(model, texts, signal, 'background');
  } catch (error) {
    if (!(error instanceof KnowledgeError) || error.retryable || error instanceof EmbeddingModelMismatch) throw error;
    return undefined;
  }
};
