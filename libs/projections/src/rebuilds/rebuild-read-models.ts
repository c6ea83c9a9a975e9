import { SYSTEM, type System } from '@palimpsest/foundation';
import { scope as scopeDecider, scopeStream } from '@palimpsest/knowledge/deciders';
import { Conflict, NotFound, Unavailable } from '@palimpsest/knowledge/errors';
import type { ReadModelRunner } from '../read-model-runner.ts';
import type { ReadModelStores } from '../read-model-stores.ts';
import { NO_READERS, type Readers } from './rebuild-pace.ts';
import type { SetAlongside } from '../views/set-alongside.ts';
import { RebuildRun, type RebuildOrder, type RebuildStatus, type Rebuilt, type ScopesOfTenant } from './rebuild-run.ts';

const TIMEOUT_MS = 3_600_000;

type Contents = Pick<Rebuilt, 'position' | 'documents' | 'chunks'>;

/** `settled`: resolves when it has ended, however. */
type Started = Readonly<{ run: RebuildRun; settled: Promise<unknown> }>;

/**
 * Builds the read models again from the log. Where a second set can be opened, it is built alongside and exchanged, and searches are
 * served meanwhile; otherwise every read model is emptied first. Calls no embedding model: vectors and texts are in the events. One
 * rebuild runs at a time; what it has done is kept in memory until the next one.
 */
export class RebuildReadModels {
  readonly #stores: ReadModelStores;
  readonly #runner: ReadModelRunner;
  readonly #embeddingCalls: () => number;
  readonly #readers: Readers;
  readonly #system: System;
  #last: Started | undefined;

  /** `embeddingCalls`: number of calls of this process to a model so far. `readers`: to whom a build gives way. */
  constructor(
    stores: ReadModelStores,
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
   * @throws Unavailable if the process stops, or read models that were emptied do not reach the current end of the log within `timeoutMs`: then the rebuild continues
   */
  async run(order: RebuildOrder, timeoutMs = TIMEOUT_MS): Promise<Rebuilt> {
    const { only } = order;
    if (only !== undefined) await this.#refuseUnknown(only);
    const current = this.#last?.run.isOver === false ? this.#last.run.status() : undefined;
    if (current) throw new Conflict(`a rebuild is already running: started at ${current.startedAt} by ${current.startedBy}`);
    const { alongside } = this.#stores;
    if (order.maxEventsPerSecond !== undefined && alongside === undefined) throw inPlace('has no cap');
    if (only !== undefined && alongside === undefined) throw inPlace('covers all scopes');
    const run = new RebuildRun(order, this.#runner.position(), this.#readers, this.#system);
    const rebuilt = this.#rebuild(run, () => (only && alongside ? this.#scopes(only, alongside, run) : this.#everything(run, timeoutMs)));
    this.#last = { run, settled: rebuilt.catch(() => undefined) };
    return rebuilt;
  }

  /** Of the running rebuild, otherwise of the last one since the process started. */
  status(): RebuildStatus | undefined {
    const status = this.#last?.run.status();
    if (status?.state !== 'running' || this.#stores.alongside) return status;
    return { ...status, positions: { ...status.positions, done: Number(this.#runner.position()) } };
  }

  /** Takes effect with the end of the current batch. @throws Conflict if no rebuild runs, or it ends soon */
  pause(): RebuildStatus {
    const { run } = this.#running('be paused');
    run.pause();
    return run.status();
  }

  /** @throws Conflict if no rebuild runs */
  resume(): RebuildStatus {
    const { run } = this.#running('be resumed');
    run.resume();
    return run.status();
  }

  /** Resolves when what was built is deleted. @throws Conflict if no rebuild runs, or it ends soon */
  async cancel(): Promise<RebuildStatus> {
    const { run, settled } = this.#running('be cancelled');
    run.cancel();
    await settled;
    return run.status();
  }

  #running(what: string): Started {
    if (this.#last === undefined || this.#last.run.isOver) throw new Conflict('no rebuild is running');
    if (this.#stores.alongside === undefined) throw inPlace(`cannot ${what}`);
    return this.#last;
  }

  /** Asks the log, because the catalog may be damaged. */
  async #refuseUnknown({ tenant, scopes }: ScopesOfTenant): Promise<void> {
    for (const scope of scopes) {
      const { state } = await this.#stores.journal.load(scopeDecider, scopeStream({ tenant, scope }));
      if (!state.opened) throw new NotFound('scope', scope);
    }
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

  async #everything(run: RebuildRun, timeoutMs: number): Promise<Contents> {
    const head = await this.#stores.journal.log.head();
    run.upTo(head);
    const { alongside } = this.#stores;
    if (alongside === undefined) await this.#runner.whilePaused(() => this.#runner.dropAll());
    else await this.#runner.exchange(await alongside(), run);
    if (!(await this.#runner.reached(head, timeoutMs)))
      throw new Unavailable('the read models are still being rebuilt', { forCallers: true });
    return this.#contents();
  }

  async #scopes({ tenant, scopes }: ScopesOfTenant, alongside: () => Promise<SetAlongside>, run: RebuildRun): Promise<Contents> {
    const of = scopes.map((scope) => ({ tenant, scope }));
    const contents = await this.#runner.exchangeScopes(of, await alongside(), run);
    return { position: this.#runner.position(), ...contents };
  }

  async #contents(): Promise<Contents> {
    const { catalog } = this.#stores;
    const [{ total }, chunks] = [await catalog.documentCounts(), await catalog.chunkCount()];
    return { position: this.#runner.position(), documents: total, chunks };
  }
}

const inPlace = (what: string): Conflict => new Conflict(`this process empties its read models and fills them again: the rebuild ${what}`);
