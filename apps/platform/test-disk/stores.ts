import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FaultyDisk, type DiskOrder } from '../test/disk/faulty-disk.ts';

/** `count` numbers from `from` on, each an event and a message; or what is there is told. */
export type StoresOrder = Readonly<{ data: string; from: number; count: number | 'look'; end: 'stop' | 'kill' }>;
/** A line each: what was acknowledged, what was refused, what is there. */
export type StoresSaid = Readonly<{ event?: number; message?: number; refused?: string; events?: readonly number[]; messages?: readonly number[]; damage?: readonly string[] }>;

export type StoresLife = Readonly<{ fired: Readonly<{ count: number; name: string }>; refused: readonly string[] }>;

const PROCESS = fileURLToPath(new URL('./stores-process.ts', import.meta.url));

/** A folder with a log and queues on a disk under orders, life after life, and what they acknowledged. */
export class Stores {
  readonly disk = FaultyDisk.make();
  readonly #events = new Set<number>();
  readonly #messages = new Set<number>();
  #next = 1;

  constructor() {
    // By whoever opens a data folder, durably.
    for (const name of ['log', 'bus']) mkdirSync(join(this.disk.root, name), { recursive: true });
  }

  async live(count: number, end: 'stop' | 'kill', order?: DiskOrder): Promise<StoresLife> {
    if (order) this.disk.order(order);
    else this.disk.heal();
    const said = await this.#run({ data: this.disk.root, from: this.#next, count, end });
    this.#next += count;
    for (const { event, message } of said) {
      if (event !== undefined) this.#events.add(event);
      if (message !== undefined) this.#messages.add(message);
    }
    return { fired: this.disk.fired(), refused: said.flatMap(({ refused }) => refused ?? []) };
  }

  /** What was acknowledged and is not there, and what is damaged, in words. Takes the messages that are there. */
  async wrong(): Promise<readonly string[]> {
    this.disk.heal();
    const said = await this.#run({ data: this.disk.root, from: 0, count: 'look', end: 'stop' });
    const shown = said.find(({ events }) => events !== undefined);
    if (shown === undefined) return [`they do not start: ${JSON.stringify(said)}`];
    const { events = [], messages = [], damage = [] } = shown;
    const lost = (what: string, promised: ReadonlySet<number>, there: readonly number[]): readonly string[] => [...promised].filter((n) => !there.includes(n)).map((n) => `${what} ${n} was acknowledged, and is gone`);
    const wrong = [...lost('event', this.#events, events), ...lost('message', this.#messages, messages), ...damage];
    this.#messages.clear();
    return wrong;
  }

  async #run(order: StoresOrder): Promise<readonly StoresSaid[]> {
    const env = { ...process.env, NODE_OPTIONS: '', NODE_COMPILE_CACHE: join(tmpdir(), 'palimpsest-compiled'), ...this.disk.settings() };
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', PROCESS, JSON.stringify(order)], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (more: string) => (text += more));
    await once(child, 'close');
    return text.split('\n').filter((line) => line.endsWith('}')).map((line) => JSON.parse(line) as StoresSaid);
  }
}
