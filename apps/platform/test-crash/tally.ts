import type { Life } from './mortal.ts';

/** What was killed, counted over all stories of a suite. */
export class Tally {
  #kills = 0;
  #powerCuts = 0;
  #lost = 0;
  readonly #names = new Set<string>();
  readonly #readyMs: number[] = [];

  life({ readyMs }: Life): void {
    if (readyMs !== undefined) this.#readyMs.push(readyMs);
  }

  killed(name: string): void {
    this.#kills++;
    this.#names.add(name);
  }

  powerCut(lost: number): void {
    this.#powerCuts++;
    this.#lost += lost;
  }

  /** `known`: names of writes that were met when nothing happened. */
  summary(who: string, known: ReadonlySet<string>): string {
    const ready = [...this.#readyMs].sort((a, b) => a - b);
    const seconds = (ms: number | undefined): string => `${((ms ?? 0) / 1000).toFixed(2)} s`;
    const all = new Set([...known, ...this.#names]);
    const spared = [...all].filter((name) => !this.#names.has(name));
    return (
      `\n${who}: ${this.#kills} kills, ${this.#powerCuts} of them with a power cut (${this.#lost} writes lost), at ${this.#names.size} of ${all.size} names` +
      `${spared.length === 0 ? '' : ` (spared: ${spared.join(', ')})`}; from the start of the process until ready: ` +
      `median ${seconds(ready[ready.length >> 1])}, 99 % within ${seconds(ready[Math.floor(ready.length * 0.99)])}, most ${seconds(ready.at(-1))} (${ready.length} starts)\n`
    );
  }
}
