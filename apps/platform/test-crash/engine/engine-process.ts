import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Settings } from '../../test/platform-under-test.ts';
import { afterSuite } from '../../test/tidy-up.ts';
import { compiledEngine, engineFile } from './engine-file.ts';
import { READY, type Errand, type ErrandAnswer } from './errands.ts';

export type EngineEnd = Readonly<{ code: number | null; signal: NodeJS.Signals | null; stderr: string }>;
/** An errand, but for its number. */
export type Order = Errand extends infer E ? (E extends Errand ? Omit<E, 'id'> : never) : never;

/** A life is over before it has thrown away so much: collecting it earlier is a tenth of its CPU time. */
const ROOM_FOR_A_LIFE = '--min-semi-space-size=16';

/** One life of the engine, as its parent sees it. */
export class EngineProcess {
  readonly #child: ChildProcess;
  readonly ended: Promise<EngineEnd>;
  /** Milliseconds from the start of the process until it had caught up; undefined when it ended before. */
  readonly ready: Promise<number | undefined>;
  readonly #waiting = new Map<number, (answer: ErrandAnswer | undefined) => void>();
  #next = 0;
  #stderr = '';

  private constructor(file: string, args: readonly string[], settings: Settings) {
    const began = performance.now();
    const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => name !== 'NODE_OPTIONS'));
    this.#child = spawn(process.execPath, [ROOM_FOR_A_LIFE, file, ...args], { env: { ...inherited, NODE_COMPILE_CACHE: compiledEngine(), ...settings }, stdio: ['pipe', 'pipe', 'pipe'] });
    afterSuite(() => (this.#child.kill('SIGKILL'), this.ended));
    this.#child.stdin?.on('error', () => undefined); // it was killed while it was written to: its end says so
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.#stderr += text));
    this.ended = once(this.#child, 'close').then(([code, signal]) => {
      for (const give of this.#waiting.values()) give(undefined);
      return { code: code as number | null, signal: signal as NodeJS.Signals | null, stderr: this.#stderr };
    });
    const lines = this.#child.stdout ? createInterface({ input: this.#child.stdout }) : undefined;
    const said = new Promise<number>((resolve) => lines?.on('line', (line) => this.#take(JSON.parse(line) as ErrandAnswer | typeof READY, () => resolve(performance.now() - began))));
    this.ready = Promise.race([said, this.ended.then(() => undefined)]);
  }

  /** `model`: what its texts are embedded by; another one has vectors of another width or direction. */
  static start(data: string, model: string, settings: Settings = {}): EngineProcess {
    return new EngineProcess(engineFile(), [data, model], settings);
  }

  /** Resolves with undefined when the process ended before it answered. */
  ask(order: Order): Promise<ErrandAnswer | undefined> {
    const id = this.#next++;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      void this.ended.then(() => resolve(undefined));
      this.#child.stdin?.write(`${JSON.stringify({ ...order, id })}\n`);
    });
  }

  /** Told to stop: it finishes what it has in hand. */
  stop(): Promise<EngineEnd> {
    void this.ask({ do: 'stop' });
    return this.ended;
  }

  kill(): Promise<EngineEnd> {
    this.#child.kill('SIGKILL');
    return this.ended;
  }

  #take(line: ErrandAnswer | typeof READY, ready: () => void): void {
    if (line === READY) return ready();
    this.#waiting.get(line.id)?.(line);
    this.#waiting.delete(line.id);
  }
}
