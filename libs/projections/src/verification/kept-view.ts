import { Mutex, SYSTEM, type Cancel, type System } from '@palimpsest/foundation';
import { START, type Position } from '@palimpsest/knowledge/values';
import type { LogView } from '../views/log-view.ts';

/** Entries that are kept, of both indexes: about 75 MB. A larger view is made again from the whole log each time. */
const MAX_ENTRIES = 500_000;
const FRESH_MS = 15 * 60_000;

export type KeptViewOptions = Readonly<{
  maxEntries?: number;
  /** Maximum time that titles of deleted documents stay in what is kept, in milliseconds. Default: 15 minutes. */
  freshMs?: number;
  system?: System;
}>;

/**
 * The view of the last verification, so that the next one reads only newer facts. It depends on nothing but the log: rebuilds, repairs
 * and swaps leave it right. Used by one at a time.
 */
export class KeptView {
  readonly #open: () => Promise<LogView>;
  readonly #position: () => Position;
  readonly #options: Required<KeptViewOptions>;
  readonly #mutex = new Mutex();
  #view: LogView | undefined;
  #timer: Cancel | undefined;

  /** `position`: up to which the read models have the log. */
  constructor(open: () => Promise<LogView>, position: () => Position, options: KeptViewOptions = {}) {
    this.#open = open;
    this.#position = position;
    this.#options = { maxEntries: MAX_ENTRIES, freshMs: FRESH_MS, system: SYSTEM, ...options };
  }

  /**
   * Calls `work` with a view that it may build further. `full`: one that begins at the start of the log. `isSound`: whether the view may
   * be kept after this result.
   */
  use<T>(full: boolean, work: (view: LogView) => Promise<T>, isSound: (result: T) => boolean = () => true): Promise<T> {
    return this.#mutex.run(async () => {
      // The log may have been restored to an earlier state.
      if (full || this.#position() < (this.#view?.position ?? START)) await this.#forget();
      const view = (this.#view ??= await this.#open());
      try {
        const result = await work(view);
        if (view.size > this.#options.maxEntries || !isSound(result)) await this.#forget();
        else this.#timer ??= this.#options.system.scheduler.every(this.#options.freshMs, () => void this.#refresh(), { background: true });
        return result;
      } catch (error) {
        await this.#forget();
        throw error;
      }
    });
  }

  close(): Promise<void> {
    return this.#mutex.run(() => this.#forget());
  }

  /** Deleted titles leave its catalog with the facts that delete them. */
  async #refresh(): Promise<void> {
    await this.#mutex.run(async () => {
      try {
        await this.#view?.upTo(this.#position());
      } catch {
        // The next verification makes it again, and reports what is wrong with the log.
        await this.#forget();
      }
    });
  }

  async #forget(): Promise<void> {
    this.#timer?.();
    this.#timer = undefined;
    const view = this.#view;
    this.#view = undefined;
    await view?.close();
  }
}
