import type { EmbeddingKind } from '@palimpsest/knowledge/ports';

import type { ModelFolder } from './model-folder.ts';

/** The start data of a worker thread. `lowPriority`: it runs at lower priority than other threads. */
export type WorkerData = ModelFolder & Readonly<{ lowPriority?: boolean }>;

export type ToWorker = Readonly<{ type: 'embed'; id: number; text: string; kind: EmbeddingKind } | { type: 'stop' }>;

/** A worker sends `ready` once at the start, then one `embedded` or `failed` for each text. `vector` contains float32 values. */
export type FromWorker = Readonly<
  | { type: 'ready'; width: number }
  | { type: 'embedded'; id: number; vector: ArrayBuffer; tokens: number; truncated: boolean }
  | { type: 'failed'; id: number; reason: string }
>;

/** The texts of a pair. The passage begins with what has to be read first. */
export type Pair = Readonly<{ query: string; passage: string }>;
export type ToPairWorker = Readonly<{ type: 'embed'; id: number; text: Pair } | { type: 'stop' }>;
export type FromPairWorker = Readonly<
  { type: 'ready' } | { type: 'scored'; id: number; score: number } | { type: 'failed'; id: number; reason: string }
>;
