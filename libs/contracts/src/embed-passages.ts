import { embeddingVersionParts, type ChunkText, type Embedding, type EmbeddingKind, type Embedder, type TextWindow } from '@palimpsest/knowledge';
import { atOnce } from './in-turns.ts';
import type { ChunkVectors } from './sealed-vectors.ts';
import { searchText } from './sealing.ts';
import { TextTokens } from './text-tokens.ts';

/** `tokens`: over all windows. `truncated`: the end of the text is in none of the vectors. */
export type EmbeddedPassage = ChunkVectors & Readonly<{ tokens: number; truncated: boolean }>;

/** Vectors of one chunk, at most: a hostile text must not fill the index. */
const MOST_VECTORS = 64;
/** Bytes of one chunk's vectors, at most: with its text they are one event, which has to fit into one append. */
const MOST_BYTES = 300_000;
/** Of a window: how much of it the next one repeats, so that a sentence is whole in one of them. */
const OVERLAP = 1 / 8;

export const mostVectors = (dimensions: number): number => Math.max(1, Math.min(MOST_VECTORS, Math.floor(MOST_BYTES / (4 * dimensions))));

type Window = Readonly<{ passage: number; prefix: string; body: string; at: number }>;
type Read = Window & Readonly<{ embedding: Embedding }>;

/**
 * Vectors for a few chunks. A text that the model cannot read at once is cut into windows of equal size, each under the chunk's
 * context prefix, and every window gets a vector. No window is sent that does not fit by the model's own count.
 */
export const embedPassages = (provider: Embedder, passages: readonly ChunkText[], signal?: AbortSignal): Promise<readonly EmbeddedPassage[]> =>
  embedWindows(provider, passages, 'passage', signal);

/** One vector for a query: of one that is longer than the model reads at once, the mean of its windows' vectors. */
export const embedQuery = async (provider: Embedder, query: string, signal?: AbortSignal): Promise<Float32Array> => {
  const [made] = await embedWindows(provider, [{ text: query, contextPrefix: '', headings: [] }], 'query', signal);
  if (made === undefined) throw new Error('a query without a vector');
  return made.further === undefined ? made.vector : mean([made.vector, ...made.further]);
};

const embedWindows = async (provider: Embedder, passages: readonly ChunkText[], kind: EmbeddingKind, signal?: AbortSignal): Promise<readonly EmbeddedPassage[]> => {
  const most = mostVectors(embeddingVersionParts(provider.version).dimensions);
  const window = await provider.window();
  const plans = passages.map((passage, i) => windowsOf(passage, i, window, most));
  const counts = plans.map(({ windows }) => windows.length);
  const done: Read[] = [];
  for (let waiting = plans.flatMap(({ windows }) => windows); waiting.length > 0; ) {
    const embeddings = await provider.embed(waiting.map(textOf), kind, signal);
    const again: Window[] = [];
    for (const [i, one] of waiting.entries()) {
      const embedding = embeddings[i];
      if (embedding === undefined) continue;
      const halves = embedding.truncated && (counts[one.passage] ?? 0) < most ? halved(one) : [];
      if (halves.length === 0) done.push({ ...one, embedding });
      else counts[one.passage] = (counts[one.passage] ?? 0) + 1;
      again.push(...halves);
    }
    waiting = again;
  }
  return plans.map(({ complete }, passage) => joined(done.filter((one) => one.passage === passage), complete));
};

const textOf = ({ prefix, body }: Window): string => (prefix === '' ? body : `${prefix}\n${body}`);

/** `complete`: the windows hold the whole text. */
const windowsOf = (passage: ChunkText, number: number, window: TextWindow, most: number): Readonly<{ windows: readonly Window[]; complete: boolean }> => {
  const whole = searchText(passage);
  const all = measured(whole, window);
  const alone = (body: string, at: number, prefix = ''): Window => ({ passage: number, prefix, body, at });
  if (all.size(0, whole.length) <= window.tokens) return { windows: [alone(whole, 0)], complete: true };
  const prefixTokens = measured(passage.contextPrefix, window).size(0, passage.contextPrefix.length);
  // A prefix that would take most of each window is a text like any other.
  const repeats = passage.contextPrefix !== '' && prefixTokens <= window.tokens / 2;
  const [prefix, text] = repeats ? [passage.contextPrefix, passage.text] : ['', whole];
  const tokens = repeats ? measured(text, window) : all;
  const room = Math.max(1, window.tokens - (repeats ? prefixTokens : 0));
  const size = tokens.size(0, text.length);
  const overlap = Math.floor(room * OVERLAP);
  const count = Math.min(most, Math.max(1, Math.ceil((size - overlap) / (room - overlap))));
  const step = count === 1 ? 0 : Math.min(room, (size - room) / (count - 1));
  const windows: Window[] = [];
  let covered = 0;
  for (let i = 0; covered < text.length && windows.length < most; i++) {
    const planned = i === 0 ? 0 : i < count - 1 ? tokens.advance(0, Math.floor(i * step)) : tokens.back(text.length, room);
    // Nothing is left out between two windows.
    const at = Math.min(planned, covered);
    const end = Math.max(at + 1, tokens.advance(at, room));
    if (end > covered && text.slice(at, end).trim() !== '') windows.push(alone(text.slice(at, end), at, prefix));
    covered = Math.max(covered, end);
  }
  return { windows, complete: covered >= text.length };
};

const measured = (text: string, window: TextWindow): TextTokens => atOnce(TextTokens.of(text, window));

/** What a model cut all the same, since it counts otherwise than it says. Nothing for what cannot be halved. */
const halved = (window: Window): readonly Window[] => {
  const { body, at } = window;
  const middle = Math.floor(body.length / 2);
  const blank = body.indexOf(' ', middle);
  const end = blank < 0 || blank > middle + 100 ? middle : blank;
  const halves = [{ ...window, body: body.slice(0, end) }, { ...window, body: body.slice(end), at: at + end }];
  return halves.every((half) => half.body.trim() !== '') ? halves : [];
};

const joined = (read: readonly Read[], complete: boolean): EmbeddedPassage => {
  const [first, ...others] = [...read].sort((a, b) => a.at - b.at).map(({ embedding }) => embedding);
  if (first === undefined) throw new Error('a passage without a vector');
  return {
    vector: first.vector,
    ...(others.length === 0 ? {} : { further: others.map(({ vector }) => vector) }),
    tokens: read.reduce((sum, { embedding }) => sum + embedding.tokens, 0),
    truncated: !complete || read.some(({ embedding }) => embedding.truncated),
  };
};

/** Of length 1 again; the first one where they cancel each other out. */
const mean = (vectors: readonly Float32Array[]): Float32Array => {
  const sum = new Float64Array(vectors[0]?.length ?? 0);
  for (const vector of vectors) vector.forEach((value, i) => (sum[i] = (sum[i] ?? 0) + value));
  const length = Math.sqrt(sum.reduce((squares, value) => squares + value * value, 0));
  return length < 1e-6 ? (vectors[0] ?? new Float32Array()) : Float32Array.from(sum, (value) => value / length);
};
