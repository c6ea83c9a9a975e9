import type { Embedding, EmbeddingKind } from '@palimpsest/knowledge/ports';

import { deferred } from './deferred.ts';

/** One call of `embed`. Its texts are embedded one by one, in any order. */
export class EmbeddingCall<Text = string, Answer = Embedding> {
  readonly texts: readonly Text[];
  readonly kind: EmbeddingKind;
  readonly result: Promise<readonly Answer[]>;
  readonly #embeddings: Answer[] = [];
  readonly #resolve: (embeddings: readonly Answer[]) => void;
  readonly #reject: (reason: unknown) => void;
  readonly #stopListening: () => void;
  #missing: number;
  #settled = false;

  constructor(texts: readonly Text[], kind: EmbeddingKind, signal: AbortSignal | undefined) {
    this.texts = texts;
    this.kind = kind;
    this.#missing = texts.length;
    const { promise, resolve, reject } = deferred<readonly Answer[]>();
    this.result = promise;
    this.#resolve = resolve;
    this.#reject = reject;

    const abort = (): void => this.fail(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    this.#stopListening = () => signal?.removeEventListener('abort', abort);
    if (signal?.aborted) abort();
    else if (texts.length === 0) this.#finish();
  }

  /** Whether the call has ended, so that remaining texts can be skipped. */
  get settled(): boolean {
    return this.#settled;
  }

  answer(index: number, embedding: Answer): void {
    this.#embeddings[index] = embedding;
    if (--this.#missing === 0) this.#finish();
  }

  fail(reason: unknown): void {
    this.#settle();
    this.#reject(reason);
  }

  #finish(): void {
    this.#settle();
    this.#resolve(this.#embeddings);
  }

  #settle(): void {
    this.#settled = true;
    this.#stopListening();
  }
}
