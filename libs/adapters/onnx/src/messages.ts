import type { EmbeddingKind } from '@palimpsest/knowledge';

import type { ModelFolder } from './model-folder.ts';

/** What a worker thread is started with. `stepsBack`: it gives way to whoever else wants its core. */
export type WorkerData = ModelFolder & Readonly<{ stepsBack?: boolean }>;

export type ToWorker = Readonly<{ type: 'embed'; id: number; text: string; kind: EmbeddingKind } | { type: 'stop' }>;

/** A worker answers each text with one `embedded` or `failed`; `ready` comes first, once. `vector` holds float32. */
export type FromWorker = Readonly<
  | { type: 'ready'; width: number }
  | { type: 'embedded'; id: number; vector: ArrayBuffer; tokens: number; truncated: boolean }
  | { type: 'failed'; id: number; reason: string }
>;
