import { runCooperatively, runToCompletion, TextTokens, type System } from '@palimpsest/foundation';
import type { ChunkText } from '@palimpsest/knowledge/events';
import type { Embedding, EmbeddingKind, Embedder, TextWindow } from '@palimpsest/knowledge/ports';
import { embeddingVersionParts } from '@palimpsest/knowledge/values';
import type { ChunkVectors } from './sealed-vectors.ts';
import { searchText } from './sealing.ts';

/** `tokens`: total of all windows. `truncated`: no vector covers the end of the text. */
export type EmbeddedPassage = ChunkVectors & Readonly<{ tokens: number; truncated: boolean }>;

/** Maximum vectors of one chunk, so that a hostile text cannot fill the index. */
const MAX_VECTORS = 64;
/** Maximum bytes of the vectors of one chunk: vectors and text are one event, which must fit into one append. */
const MAX_BYTES = 300_000;
/** Share of a window that the next one repeats, so that a sentence is complete in one of them. */
const OVERLAP = 1 / 8;

export const maxVectors = (dimensions: number): number => Math.max(1, Math.min(MAX_VECTORS, Math.floor(MAX_BYTES / (4 * dimensions))));

type Pacing = Pick<System, 'clock' | 'scheduler'>;
type Window = Readonly<{ passage: number; prefix: string; body: string; at: number }>;
type Read = Window & Readonly<{ embedding: Embedding }>;

/**
 * Embeds a few chunks. A text that exceeds the window of the model is split into windows of equal size, each with the context prefix of
 * the chunk, and every window gets a vector. All windows fit according to the token count of the model. Counting the tokens of a few dozen
 * chunks takes tens of milliseconds: with `system`, it lets other work run in between.
 */
export const embedPassages = (
  provider: Embedder,
  passages: readonly ChunkText[],
  signal?: AbortSignal,
  kind: Exclude<EmbeddingKind, 'query'> = 'passage',
  system?: Pacing,
): Promise<readonly EmbeddedPassage[]> => embedWindows(provider, passages, kind, signal, system);

/** Embeds a query as one vector: for a query longer than the window of the model, the mean of the vectors of its windows. */
export const embedQuery = async (provider: Embedder, query: string, signal?: AbortSignal): Promise<Float32Array> => {
  const [embedded] = await embedWindows(provider, [{ text: query, contextPrefix: '', headings: [] }], 'query', signal);
  if (embedded === undefined) throw new Error('the model returned no vector for the query');
  return embedded.further === undefined ? embedded.vector : mean([embedded.vector, ...embedded.further]);
};

const embedWindows = async (
  provider: Embedder,
  passages: readonly ChunkText[],
  kind: EmbeddingKind,
  signal?: AbortSignal,
  system?: Pacing,
): Promise<readonly EmbeddedPassage[]> => {
  const max = maxVectors(embeddingVersionParts(provider.version).dimensions);
  const window = await provider.window();
  const steps = plansOf(passages, window, max);
  const plans = system === undefined ? runToCompletion(steps) : await runCooperatively(steps, system);
  const counts = plans.map(({ windows }) => windows.length);
  const done: Read[] = [];
  for (let waiting = plans.flatMap(({ windows }) => windows); waiting.length > 0;) {
    const embeddings = await provider.embed(waiting.map(textOf), kind, signal);
    const again: Window[] = [];
    for (const [i, one] of waiting.entries()) {
      const embedding = embeddings[i];
      if (embedding === undefined) continue;
      const halves = embedding.truncated && (counts[one.passage] ?? 0) < max ? halved(one) : [];
      if (halves.length === 0) done.push({ ...one, embedding });
      else counts[one.passage] = (counts[one.passage] ?? 0) + 1;
      again.push(...halves);
    }
    waiting = again;
  }
  return plans.map(({ complete }, passage) =>
    joined(
      done.filter((one) => one.passage === passage),
      complete,
    ),
  );
};

const textOf = ({ prefix, body }: Window): string => (prefix === '' ? body : `${prefix}\n${body}`);

/** `complete`: the windows cover the whole text. */
type Plan = Readonly<{ windows: readonly Window[]; complete: boolean }>;

function* plansOf(passages: readonly ChunkText[], window: TextWindow, max: number): Generator<undefined, readonly Plan[]> {
  const plans: Plan[] = [];
  for (const [i, passage] of passages.entries()) {
    plans.push(yield* windowsOf(passage, i, window, max));
    yield;
  }
  return plans;
}

function* windowsOf(passage: ChunkText, number: number, window: TextWindow, max: number): Generator<undefined, Plan> {
  const whole = searchText(passage);
  const all = yield* TextTokens.of(whole, window);
  const alone = (body: string, at: number, prefix = ''): Window => ({ passage: number, prefix, body, at });
  if (all.size(0, whole.length) <= window.tokens) return { windows: [alone(whole, 0)], complete: true };
  const prefixTokens = (yield* TextTokens.of(passage.contextPrefix, window)).size(0, passage.contextPrefix.length);
  // A prefix that would fill most of each window is treated as part of the text.
  const repeats = passage.contextPrefix !== '' && prefixTokens <= window.tokens / 2;
  const [prefix, text] = repeats ? [passage.contextPrefix, passage.text] : ['', whole];
  const tokens = repeats ? yield* TextTokens.of(text, window) : all;
  const capacity = Math.max(1, window.tokens - (repeats ? prefixTokens : 0));
  const size = tokens.size(0, text.length);
  const overlap = Math.floor(capacity * OVERLAP);
  const count = Math.min(max, Math.max(1, Math.ceil((size - overlap) / (capacity - overlap))));
  const step = count === 1 ? 0 : Math.min(capacity, (size - capacity) / (count - 1));
  const windows: Window[] = [];
  let covered = 0;
  for (let i = 0; covered < text.length && windows.length < max; i++) {
    const planned = i === 0 ? 0 : i < count - 1 ? tokens.advance(0, Math.floor(i * step)) : tokens.back(text.length, capacity);
    // No gap between two windows.
    const at = Math.min(planned, covered);
    const end = Math.max(at + 1, tokens.advance(at, capacity));
    if (end > covered && text.slice(at, end).trim() !== '') windows.push(alone(text.slice(at, end), at, prefix));
    covered = Math.max(covered, end);
  }
  return { windows, complete: covered >= text.length };
}

/** Splits a window that the model truncated although it fits by its token count. Empty if it cannot be halved. */
const halved = (window: Window): readonly Window[] => {
  const { body, at } = window;
  const middle = Math.floor(body.length / 2);
  const blank = body.indexOf(' ', middle);
  const end = blank < 0 || blank > middle + 100 ? middle : blank;
  const halves = [
    { ...window, body: body.slice(0, end) },
    { ...window, body: body.slice(end), at: at + end },
  ];
  return halves.every((half) => half.body.trim() !== '') ? halves : [];
};

const joined = (read: readonly Read[], complete: boolean): EmbeddedPassage => {
  const [first, ...others] = [...read].sort((a, b) => a.at - b.at).map(({ embedding }) => embedding);
  if (first === undefined) throw new Error('the model returned no vector for a passage');
  return {
    vector: first.vector,
    ...(others.length === 0 ? {} : { further: others.map(({ vector }) => vector) }),
    tokens: read.reduce((sum, { embedding }) => sum + embedding.tokens, 0),
    truncated: !complete || read.some(({ embedding }) => embedding.truncated),
  };
};

/** Normalized mean; the first vector if the vectors cancel each other out. */
const mean = (vectors: readonly Float32Array[]): Float32Array => {
  const sum = new Float64Array(vectors[0]?.length ?? 0);
  for (const vector of vectors) vector.forEach((value, i) => (sum[i] = (sum[i] ?? 0) + value));
  const length = Math.sqrt(sum.reduce((squares, value) => squares + value * value, 0));
  return length < 1e-6 ? (vectors[0] ?? new Float32Array()) : Float32Array.from(sum, (value) => value / length);
};
