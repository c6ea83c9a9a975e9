import type { Embedding, EmbeddingKind } from '@palimpsest/knowledge';

/** The worker ended before it answered; another one may do better. */
export class WorkerDied extends Error {}

/** Somebody who embeds one text at a time, and may have more waiting: of these, a query goes first. */
export interface TextWorker {
  /** Rejects when the worker cannot start. */
  readonly ready: Promise<void>;
  /** Resolves when the worker is gone, for whatever reason. */
  readonly gone: Promise<void>;
  /**
   * To be called when ready.
   *
   * @throws WorkerDied also over texts that waited: it is not told over which one it died
   * @throws KnowledgeError when this text cannot be embedded, which is no fault of the worker
   */
  embed(text: string, kind: EmbeddingKind): Promise<Embedding>;
  close(): Promise<void>;
}
