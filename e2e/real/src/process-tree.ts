import { readdirSync, readFileSync } from 'node:fs';

const EVERY_MS = 500;

/** Maximum resident memory in bytes: of the process itself, and of the process with all its descendants. */
export type Peak = Readonly<{ main: number; tree: number }>;

/** Measures a process and its descendants every half second (Linux: /proc). */
export class MemoryWatch {
  #peak: Peak = { main: 0, tree: 0 };
  #timer: NodeJS.Timeout | undefined;

  /** Switches to this process; the peak covers all processes watched so far. */
  watch(pid: number): void {
    this.stop();
    const look = (): void => {
      const main = residentBytes(pid);
      const tree = [pid, ...descendants(pid)].reduce((sum, one) => sum + residentBytes(one), 0);
      this.#peak = { main: Math.max(this.#peak.main, main), tree: Math.max(this.#peak.tree, tree) };
    };
    look();
    this.#timer = setInterval(look, EVERY_MS);
  }

  stop(): Peak {
    clearInterval(this.#timer);
    return this.#peak;
  }
}

/** All current children, grandchildren and so on. */
export const descendants = (pid: number): readonly number[] => {
  const children = Map.groupBy(allProcesses(), ({ parent }) => parent);
  const below = (of: number): number[] => (children.get(of) ?? []).flatMap((child) => [child.pid, ...below(child.pid)]);
  return below(pid);
};

/** Whether the process runs, i.e. has not ended and is not a zombie. */
export const isRunning = (pid: number): boolean => /^State:\s+[^ZX]/m.test(statusOf(pid));

const allProcesses = (): { pid: number; parent: number }[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const parent = /^PPid:\s+(\d+)/m.exec(statusOf(Number(name)))?.[1];
      return parent === undefined ? [] : [{ pid: Number(name), parent: Number(parent) }];
    });

/** 0 if the process has ended. */
const residentBytes = (pid: number): number => 1024 * Number(/^VmRSS:\s+(\d+)/m.exec(statusOf(pid))?.[1] ?? 0);

const statusOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return ''; // it has just ended
  }
};
