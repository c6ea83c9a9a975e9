import { Unavailable } from '@palimpsest/knowledge';
import type { Position } from '@palimpsest/knowledge';
import type { ReadModelStores } from './read-model-stores.ts';
import type { ReadModelRunner } from './read-model-runner.ts';

/** `embeddingCalls`: how often this process asked a model meanwhile. Rebuilding asks none; documents that are indexed at the same time do. */
export type Rebuilt = Readonly<{ position: Position; documents: number; chunks: number; seconds: number; embeddingCalls: number }>;

/** Drops every read model and fills it again from the log. No model is asked: vectors and texts are in the events. */
export class RebuildReadModels {
  readonly #stores: ReadModelStores;
  readonly #runner: ReadModelRunner;
  readonly #embeddingCalls: () => number;

  /** `embeddingCalls`: how often this process has asked a model so far. */
  constructor(stores: ReadModelStores, runner: ReadModelRunner, embeddingCalls: () => number) {
    this.#stores = stores;
    this.#runner = runner;
    this.#embeddingCalls = embeddingCalls;
  }

  /** @throws Unavailable when the log's end of now is not reached within `timeoutMs`; the rebuilding itself goes on. */
  async run(timeoutMs = 3_600_000): Promise<Rebuilt> {
    const started = performance.now();
    const callsBefore = this.#embeddingCalls();
    const head = await this.#stores.journal.log.head();
    await this.#runner.whilePaused(() => this.#runner.dropAll());
    if (!(await this.#runner.reached(head, timeoutMs))) throw new Unavailable('the read models are still being rebuilt', { forCallers: true });
    const { catalog } = this.#stores;
    const [{ total }, chunks] = [await catalog.documentCounts(), await catalog.chunkCount()];
    return { position: this.#runner.position(), documents: total, chunks, seconds: (performance.now() - started) / 1000, embeddingCalls: this.#embeddingCalls() - callsBefore };
  }
}
