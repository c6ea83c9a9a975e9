import { setTimeout as sleep } from 'node:timers/promises';

/** Holds shares until the signal aborts and `release` has resolved; records held shares and overlaps with other holders. */
export class ShareHolder {
  readonly held = new Set<number>();
  /** Number of calls of `hold`, by share. */
  readonly calls = new Map<number, number>();
  readonly #overlaps: string[];
  readonly #all: Set<ShareHolder>;
  readonly #release: () => Promise<void>;

  constructor(all: Set<ShareHolder>, overlaps: string[], release: () => Promise<void> = () => sleep(20)) {
    this.#all = all.add(this);
    this.#overlaps = overlaps;
    this.#release = release;
  }

  readonly hold = async (share: number, signal: AbortSignal): Promise<void> => {
    for (const other of this.#all) if (other.held.has(share)) this.#overlaps.push(`share ${share} is held twice`);
    this.calls.set(share, (this.calls.get(share) ?? 0) + 1);
    this.held.add(share);
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    await this.#release();
    this.held.delete(share);
  };

  /** Simulates the end of its process. */
  forget(): void {
    this.#all.delete(this);
  }
}

/** Resolves when the condition holds. @throws Error after `patienceMs` */
export const becomes = async (what: string, isSo: () => boolean, patienceMs: number): Promise<void> => {
  for (const end = Date.now() + patienceMs; !isSo(); await sleep(20))
    if (Date.now() > end) throw new Error(`waited ${patienceMs} ms until ${what}`);
};
