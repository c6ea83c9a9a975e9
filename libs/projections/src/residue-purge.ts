import type { DomainEvent, Fact } from '@palimpsest/knowledge';
import type { ReadModelStores } from './read-model-stores.ts';

/** Whether a fact removes or replaces content that may be in the files of the read models. */
export const leavesResidue = ({ event }: Fact<DomainEvent>): boolean => event.type === 'DocumentDeleted' || (event.type === 'DocumentIndexed' && event.data.version > 1);

export type ResiduePurgeOptions = Readonly<{
  /** How long removed content may stay in the files, in milliseconds. */
  delayMs: number;
  onError: (error: unknown) => void;
  /** Called after the files were rewritten. */
  onPurged: () => void;
}>;

/**
 * Rewrites the files of the read models without what was removed from them, many removals at a time: removed words and vectors stay in
 * journals, and old pages in write-ahead files, until somebody does. The delay counts from the first removal, whatever follows.
 */
export class ResiduePurge {
  readonly #stores: ReadModelStores;
  readonly #options: ResiduePurgeOptions;
  #timer: NodeJS.Timeout | undefined;
  #underWay: Promise<void> = Promise.resolve();
  #stopped = true;

  constructor(stores: ReadModelStores, options: ResiduePurgeOptions) {
    this.#stores = stores;
    this.#options = options;
  }

  start(): void {
    this.#stopped = false;
  }

  /** Something was removed. */
  soon(): void {
    if (this.#stopped) return;
    this.#timer ??= setTimeout(() => void this.now(), this.#options.delayMs).unref();
  }

  /** After the one under way, if any. What fails is reported, and tried again after the delay. */
  now(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#stopped) return this.#underWay;
    this.#underWay = this.#underWay.then(() => this.#purge()).catch((error: unknown) => {
      this.#options.onError(error);
      this.soon();
    });
    return this.#underWay;
  }

  /** Ends with the one under way. What is left is purged after the next start. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#underWay;
  }

  async #purge(): Promise<void> {
    const { catalog, vectors, lexical } = this.#stores;
    await lexical?.purge?.();
    await vectors?.purge?.();
    await catalog.purge?.();
    this.#options.onPurged();
  }
}
