import { SYSTEM, type System } from '@palimpsest/foundation';
import { Conflict } from '@palimpsest/knowledge/errors';
import type { ReadModelRunner } from '../read-model-runner.ts';
import type { ReadModelStores } from '../read-model-stores.ts';
import { refuseUnknownScopes, type ScopesOfTenant } from '../refuse-unknown-scopes.ts';
import { NO_READERS, type Readers } from './rebuild-pace.ts';
import type { SetAlongside } from '../views/set-alongside.ts';
import { RebuildRun, type RebuildOrder, type RebuildStatus, type Rebuilt } from './rebuild-run.ts';

type Contents = Pick<Rebuilt, 'position' | 'documents' | 'chunks'>;

/** `settled`: resolves when it has ended, however. */
type Started = Readonly<{ run: RebuildRun; settled: Promise<unknown> }>;

/** `alongside`: opens a second, empty set of read models. */
export type RebuildStores = Pick<ReadModelStores, 'journal' | 'catalog'> & Readonly<{ alongside: () => Promise<SetAlongside> }>;

/**
 * Builds the read models again from the log: a second set, which then takes the place of the first one. Searches are served meanwhile. Calls
 * no embedding model: vectors and texts are in the events. One rebuild runs at a time; what it has done is kept in memory until the next one.
 */
export class RebuildReadModels {
  readonly #stores: RebuildStores;
  readonly #runner: ReadModelRunner;
  readonly #embeddingCalls: () => number;
  readonly #readers: Readers;
  readonly #system: System;
  #last: Started | undefined;

  /** `embeddingCalls`: number of calls of this process to a model so far. `readers`: to whom a build gives way. */
  constructor(
    stores: RebuildStores,
    runner: ReadModelRunner,
    embeddingCalls: () => number,
    readers: Readers = NO_READERS,
    system: System = SYSTEM,
  ) {
    this.#stores = stores;
    this.#runner = runner;
    this.#embeddingCalls = embeddingCalls;
    this.#readers = readers;
    this.#system = system;
  }

  /**
   * @throws NotFound for a scope that does not exist
   * @throws Conflict if a rebuild is running, and when this one is cancelled
   * @throws Unavailable if the process stops
   */
  async run(order: RebuildOrder): Promise<Rebuilt> {
    const { only } = order;
    if (only !== undefined) await refuseUnknownScopes(this.#stores.journal, only);
    const current = this.#last?.run.isOver === false ? this.#last.run.status() : undefined;
    if (current) throw new Conflict(`a rebuild is already running: started at ${current.startedAt} by ${current.startedBy}`);
    const run = new RebuildRun(order, this.#runner.position(), this.#readers, this.#system);
    const rebuilt = this.#rebuild(run, () => (only ? this.#scopes(only, run) : this.#everything(run)));
    this.#last = { run, settled: rebuilt.catch(() => undefined) };
    return rebuilt;
  }

  /** Of the running rebuild, otherwise of the last one since the process started. */
  status(): RebuildStatus | undefined {
    return this.#last?.run.status();
  }

  /** Takes effect with the end of the current batch. @throws Conflict if no rebuild runs, or it ends soon */
  pause(): RebuildStatus {
    const { run } = this.#running();
    run.pause();
    return run.status();
  }

  /** @throws Conflict if no rebuild runs */
  resume(): RebuildStatus {
    const { run } = this.#running();
    run.resume();
    return run.status();
  }

  /** Resolves when what was built is deleted. @throws Conflict if no rebuild runs, or it ends soon */
  async cancel(): Promise<RebuildStatus> {
    const { run, settled } = this.#running();
    run.cancel();
    await settled;
    return run.status();
  }

  #running(): Started {
    if (this.#last === undefined || this.#last.run.isOver) throw new Conflict('no rebuild is running');
    return this.#last;
  }

  async #rebuild(run: RebuildRun, work: () => Promise<Contents>): Promise<Rebuilt> {
    try {
      const result = await this.#measured(work);
      run.completed(result);
      return result;
    } catch (error) {
      run.failed(error);
      throw error;
    }
  }

  async #measured(work: () => Promise<Contents>): Promise<Rebuilt> {
    const { clock } = this.#system;
    const started = clock.elapsed();
    const callsBefore = this.#embeddingCalls();
    return {
      ...(await work()),
      seconds: (clock.elapsed() - started) / 1000,
      embeddingCalls: this.#embeddingCalls() - callsBefore,
    };
  }

  async #everything(run: RebuildRun): Promise<Contents> {
    run.upTo(await this.#stores.journal.log.head());
    await this.#runner.exchange(await this.#stores.alongside(), run);
    return this.#contents();
  }

  async #scopes({ tenant, scopes }: ScopesOfTenant, run: RebuildRun): Promise<Contents> {
    const of = scopes.map((scope) => ({ tenant, scope }));
    const contents = await this.#runner.exchangeScopes(of, await this.#stores.alongside(), run);
    return { position: this.#runner.position(), ...contents };
  }

  async #contents(): Promise<Contents> {
    const { catalog } = this.#stores;
    const [{ total }, chunks] = [await catalog.documentCounts(), await catalog.chunkCount()];
    return { position: this.#runner.position(), documents: total, chunks };
  }
}
