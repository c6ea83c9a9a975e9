import type { Embedding, EmbeddingKind } from '@palimpsest/knowledge/ports';

/** The worker ended before it returned a result. A retry with another one may succeed. */
export class WorkerDied extends Error {}

/** Embeds one text at a time, and may have more waiting. Queries are embedded first. `Text`, `Answer`: for a worker that scores pairs of texts. */
export interface TextWorker<Text = string, Answer = Embedding> {
  /** Rejects if the worker cannot start. */
  readonly ready: Promise<void>;
  /** Resolves when the worker has ended, for any reason. */
  readonly gone: Promise<void>;
  /**
   * Call it after `ready`.
   *
   * @throws WorkerDied also for waiting texts, since it is unknown which text caused the crash
   * @throws KnowledgeError if this text cannot be embedded; the worker still works
   */
  embed(text: Text, kind: EmbeddingKind): Promise<Answer>;
  close(): Promise<void>;
}
