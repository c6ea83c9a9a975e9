import { readFileSync } from 'node:fs';
import type { Run } from '@palimpsest/e2e-support/crash/worker';

/** Counts the kills of all scenarios of a suite. */
export class Tally {
  #kills = 0;
  #powerCuts = 0;
  #lost = 0;
  readonly #names = new Set<string>();
  readonly #readyMs: number[] = [];
  readonly #cpuBefore = cpuSeconds();

  add({ readyMs }: Run): void {
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

  /** The names of writes at which no process was killed. */
  notKilledAt(known: readonly string[]): readonly string[] {
    return known.filter((name) => !this.#names.has(name));
  }

  /** `known`: the names of writes in undisturbed runs. */
  summary(who: string, known: ReadonlySet<string>): string {
    const ready = [...this.#readyMs].sort((a, b) => a - b);
    const seconds = (ms: number | undefined): string => `${((ms ?? 0) / 1000).toFixed(2)} s`;
    const cpu = cpuSeconds();
    const all = new Set([...known, ...this.#names]);
    const unlisted = [...all].filter((name) => !known.has(name));
    const withoutKill = [...all].filter((name) => !this.#names.has(name));
    return (
      `\n${who}: ${this.#kills} kills, ${this.#powerCuts} of them with a power cut (${this.#lost} writes lost), at ${this.#names.size} of ${all.size} names` +
      `${withoutKill.length === 0 ? '' : ` (no kill at: ${withoutKill.join(', ')})`}${unlisted.length === 0 ? '' : ` (seen only after kills: ${unlisted.join(', ')})`}; from the start of the process until ready: ` +
      `median ${seconds(ready[ready.length >> 1])}, 99 % within ${seconds(ready[Math.floor(ready.length * 0.99)])}, max ${seconds(ready.at(-1))} (${ready.length} starts); ` +
      `CPU time: ${(cpu.children - this.#cpuBefore.children).toFixed(0)} s of processes, ${(cpu.own - this.#cpuBefore.own).toFixed(0)} s of the suite\n`
    );
  }
}

/** CPU time of this process and of its ended child processes. Linux counts it in ticks of a hundredth of a second. */
const cpuSeconds = (): Readonly<{ own: number; children: number }> => {
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const [, , , , , , , , , , , user = '0', system = '0', ofChildren = '0', systemOfChildren = '0'] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ');
  return { own: (Number(user) + Number(system)) / 100, children: (Number(ofChildren) + Number(systemOfChildren)) / 100 };
};
