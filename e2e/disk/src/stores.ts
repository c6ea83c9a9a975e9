import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FaultyDisk, type DiskOrder } from '@palimpsest/e2e-support/disk/faulty-disk';

/** Writes `count` numbers from `from` on, each as an event and a message; or reports the content with `look`. */
export type StoresOrder = Readonly<{ data: string; from: number; count: number | 'look'; end: 'stop' | 'kill' }>;
/** One line of output: an acknowledgement, a refusal, or the content. */
export type StoresOutput = Readonly<{
  event?: number;
  message?: number;
  refused?: string;
  events?: readonly number[];
  messages?: readonly number[];
  damage?: readonly string[];
}>;

export type StoresRun = Readonly<{ fired: Readonly<{ count: number; name: string }>; refused: readonly string[] }>;

const PROCESS = fileURLToPath(new URL('./stores-process.ts', import.meta.url));

/** A folder with a log and queues on a faulty disk, and what they acknowledged in all runs. */
export class Stores {
  readonly disk = FaultyDisk.make();
  readonly #events = new Set<number>();
  readonly #messages = new Set<number>();
  #next = 1;

  constructor() {
    // The platform creates these folders durably before it opens the stores.
    for (const name of ['log', 'bus']) mkdirSync(join(this.disk.root, name), { recursive: true });
  }

  async run(count: number, end: 'stop' | 'kill', order?: DiskOrder): Promise<StoresRun> {
    if (order) this.disk.order(order);
    else this.disk.heal();
    const lines = await this.#start({ data: this.disk.root, from: this.#next, count, end });
    this.#next += count;
    for (const { event, message } of lines) {
      if (event !== undefined) this.#events.add(event);
      if (message !== undefined) this.#messages.add(message);
    }
    return { fired: this.disk.fired(), refused: lines.flatMap(({ refused }) => refused ?? []) };
  }

  /** Acknowledged events and messages that are missing, and damage. Consumes the messages. */
  async findProblems(): Promise<readonly string[]> {
    this.disk.heal();
    const lines = await this.#start({ data: this.disk.root, from: 0, count: 'look', end: 'stop' });
    const shown = lines.find(({ events }) => events !== undefined);
    if (shown === undefined) return [`the stores do not start: ${JSON.stringify(lines)}`];
    const { events = [], messages = [], damage = [] } = shown;
    const lost = (what: string, promised: ReadonlySet<number>, found: readonly number[]): readonly string[] =>
      [...promised].filter((n) => !found.includes(n)).map((n) => `${what} ${n} was acknowledged but is missing`);
    const problems = [...lost('event', this.#events, events), ...lost('message', this.#messages, messages), ...damage];
    this.#messages.clear();
    return problems;
  }

  async #start(order: StoresOrder): Promise<readonly StoresOutput[]> {
    const env = { ...process.env, NODE_OPTIONS: '', NODE_COMPILE_CACHE: join(tmpdir(), 'palimpsest-compiled'), ...this.disk.settings() };
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', PROCESS, JSON.stringify(order)], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (more: string) => (text += more));
    await once(child, 'close');
    return text
      .split('\n')
      .filter((line) => line.endsWith('}'))
      .map((line) => JSON.parse(line) as StoresOutput);
  }
}
