import { setTimeout as sleep } from 'node:timers/promises';

/** Holds what it is told to, until its signal aborts and `letGo` has resolved; notes what it held, and who held it with it. */
export class ShareHolder {
  readonly held = new Set<number>();
  /** How often `hold` was called, by share. */
  readonly calls = new Map<number, number>();
  readonly #overlaps: string[];
  readonly #all: Set<ShareHolder>;
  readonly #letGo: () => Promise<void>;

  constructor(all: Set<ShareHolder>, overlaps: string[], letGo: () => Promise<void> = () => sleep(20)) {
    this.#all = all.add(this);
    this.#overlaps = overlaps;
    this.#letGo = letGo;
  }

  readonly hold = async (share: number, signal: AbortSignal): Promise<void> => {
    for (const other of this.#all) if (other.held.has(share)) this.#overlaps.push(`share ${share} is held twice`);
    this.calls.set(share, (this.calls.get(share) ?? 0) + 1);
    this.held.add(share);
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    await this.#letGo();
    this.held.delete(share);
  };

  /** The end of its process. */
  forget(): void {
    this.#all.delete(this);
  }
}

/** Resolves when it is so. @throws Error when it is not after this time */
export const becomes = async (what: string, isSo: () => boolean, patienceMs: number): Promise<void> => {
  for (const end = Date.now() + patienceMs; !isSo(); await sleep(20)) if (Date.now() > end) throw new Error(`waited ${patienceMs} ms until ${what}`);
};
