import { Mutex, SYSTEM, type Clock } from '@palimpsest/foundation';
import { Unavailable } from '@palimpsest/knowledge/errors';
import type { Position } from '@palimpsest/knowledge/values';
import type { ReadModelStores } from './read-model-stores.ts';
import type { ReadModelRunner } from './read-model-runner.ts';

/** `embeddingCalls`: calls of this process to a model during the rebuild. The rebuild makes none; documents indexed meanwhile do. */
export type Rebuilt = Readonly<{ position: Position; documents: number; chunks: number; seconds: number; embeddingCalls: number }>;

/**
 * Builds the read models again from the log. Where a second set can be opened, it is built alongside and exchanged, and searches are
 * served meanwhile; otherwise every read model is emptied first. Calls no embedding model: vectors and texts are in the events.
 */
export class RebuildReadModels {
  readonly #stores: ReadModelStores;
  readonly #runner: ReadModelRunner;
  readonly #embeddingCalls: () => number;
  readonly #clock: Clock;
  /** Rebuilds run one after the other. */
  readonly #mutex = new Mutex();

  /** `embeddingCalls`: number of calls of this process to a model so far. */
  constructor(stores: ReadModelStores, runner: ReadModelRunner, embeddingCalls: () => number, clock: Clock = SYSTEM.clock) {
    this.#stores = stores;
    this.#runner = runner;
    this.#embeddingCalls = embeddingCalls;
    this.#clock = clock;
  }

  /** @throws Unavailable if the process stops, or read models that were emptied do not reach the current end of the log within `timeoutMs`: then the rebuild continues */
  run(timeoutMs = 3_600_000): Promise<Rebuilt> {
    return this.#mutex.run(() => this.#rebuild(timeoutMs));
  }

  async #rebuild(timeoutMs: number): Promise<Rebuilt> {
    const started = this.#clock.elapsed();
    const callsBefore = this.#embeddingCalls();
    const head = await this.#stores.journal.log.head();
    const { alongside } = this.#stores;
    if (alongside === undefined) await this.#runner.whilePaused(() => this.#runner.dropAll());
    else await this.#runner.exchange(await alongside());
    if (!(await this.#runner.reached(head, timeoutMs)))
      throw new Unavailable('the read models are still being rebuilt', { forCallers: true });
    const { catalog } = this.#stores;
    const [{ total }, chunks] = [await catalog.documentCounts(), await catalog.chunkCount()];
    return {
      position: this.#runner.position(),
      documents: total,
      chunks,
      seconds: (this.#clock.elapsed() - started) / 1000,
      embeddingCalls: this.#embeddingCalls() - callsBefore,
    };
  }
}
