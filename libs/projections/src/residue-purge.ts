import { Mutex, SYSTEM, type Cancel, type Scheduler } from '@palimpsest/foundation';
import { Unavailable } from '@palimpsest/knowledge/errors';
import type { DomainEvent, Fact } from '@palimpsest/knowledge/events';
import type { ReadModelStores } from './read-model-stores.ts';

/** Whether a fact removes or replaces content that may be in the files of the read models. */
export const leavesResidue = ({ event }: Fact<DomainEvent>): boolean =>
  REMOVING.includes(event.type) || (event.type === 'DocumentIndexed' && event.data.version > 1);

const REMOVING: readonly string[] = ['DocumentDeleted', 'KnowledgeBaseDeleted', 'ScopeErased'] satisfies readonly DomainEvent['type'][];

export type ResiduePurgeOptions = Readonly<{
  /** Maximum time that removed content stays in the files, in milliseconds. */
  delayMs: number;
  onError: (error: unknown) => void;
  /** Called after the files were rewritten. */
  onPurged: () => void;
  scheduler?: Scheduler;
}>;

/**
 * Rewrites the files of the read models without removed content, for many removals at a time. Until then, removed words and vectors
 * stay in journals, and old pages in write-ahead files. The delay counts from the first removal, even if more follow.
 */
export class ResiduePurge {
  readonly #stores: ReadModelStores;
  readonly #options: Required<ResiduePurgeOptions>;
  #timer: Cancel | undefined;
  readonly #mutex = new Mutex();
  #stopped = true;

  constructor(stores: ReadModelStores, { scheduler = SYSTEM.scheduler, ...options }: ResiduePurgeOptions) {
    this.#stores = stores;
    this.#options = { ...options, scheduler };
  }

  start(): void {
    this.#stopped = false;
  }

  /** Call after a removal. */
  soon(): void {
    if (this.#stopped) return;
    this.#timer ??= this.#options.scheduler.after(this.#options.delayMs, () => void this.now(), { background: true });
  }

  /** Purges, after the purge in progress if any. A failure is reported, and the purge is retried after the delay. */
  now(): Promise<void> {
    this.#timer?.();
    this.#timer = undefined;
    if (this.#stopped) return this.#mutex.idle();
    return this.#mutex.run(() =>
      this.#purge().catch((error: unknown) => {
        this.#options.onError(error);
        this.soon();
      }),
    );
  }

  /** Purges, for a caller that has to know whether it was done. @throws what the stores throw; Unavailable after the stop */
  async complete(): Promise<void> {
    if (this.#stopped) throw new Unavailable('the read models have stopped');
    await this.#mutex.run(() => this.#purge());
  }

  /** Waits for the purge in progress. What remains is purged after the next start. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.();
    this.#timer = undefined;
    await this.#mutex.idle();
  }

  async #purge(): Promise<void> {
    const { catalog, vectors, lexical } = this.#stores;
    await lexical?.purge?.();
    await vectors?.purge?.();
    await catalog.purge?.();
    this.#options.onPurged();
  }
}
