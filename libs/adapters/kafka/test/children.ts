import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Cluster } from './cluster.ts';

const CHILD = fileURLToPath(new URL('./bus-child.ts', import.meta.url));

export type Handled = Readonly<{ by: string; key: string; id: string; attempt: number }>;

/** Consumers in their own processes, and what they recorded. */
export class Children {
  readonly #folder = mkdtempSync(join(tmpdir(), 'palimpsest-kafka-children-'));
  readonly #cluster: Cluster;
  readonly #prefix: string;
  readonly #running = new Set<ChildProcess>();

  constructor(cluster: Cluster, prefix: string) {
    this.#cluster = cluster;
    this.#prefix = prefix;
  }

  start(name: string): ChildProcess {
    const { brokers, sessionTimeoutMs } = this.#cluster;
    const args = [brokers.join(','), this.#prefix, String(sessionTimeoutMs), this.#file, name];
    const child = spawn(process.execPath, ['--conditions=@palimpsest/source', CHILD, ...args], { stdio: ['ignore', 'inherit', 'inherit'] });
    this.#running.add(child);
    child.once('exit', () => this.#running.delete(child));
    return child;
  }

  handled(): readonly Handled[] {
    const lines = existsSync(this.#file) ? readFileSync(this.#file, 'utf8').split('\n').slice(0, -1) : [];
    return lines.map((line) => {
      const [by = '', key = '', id = '', attempt = ''] = line.split(' ');
      return { by, key, id, attempt: Number(attempt) };
    });
  }

  async until(what: string, isSo: (handled: readonly Handled[]) => boolean): Promise<void> {
    for (const end = Date.now() + 40_000; !isSo(this.handled()); await sleep(50))
      if (Date.now() > end) throw new Error(`timed out waiting until ${what}`);
  }

  async stop(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }

  async dispose(): Promise<void> {
    await Promise.all([...this.#running].map((child) => this.stop(child, 'SIGKILL')));
    rmSync(this.#folder, { recursive: true });
  }

  get #file(): string {
    return join(this.#folder, 'handled.txt');
  }
}
