import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Settings } from '../../platform-under-test.ts';
import { afterSuite } from '../../tidy-up.ts';
import { compiledEngine, engineFile } from './engine-file.ts';
import { READY, type Task, type TaskAnswer } from './tasks.ts';

export type EngineEnd = Readonly<{ code: number | null; signal: NodeJS.Signals | null; stderr: string }>;
/** A task without its id. */
export type Order = Task extends infer E ? (E extends Task ? Omit<E, 'id'> : never) : never;

/** More memory than the garbage of one run. Collecting it during the run would take a tenth of the CPU time. */
const YOUNG_GENERATION = '--min-semi-space-size=16';

/** One process of the engine. */
export class EngineProcess {
  readonly #child: ChildProcess;
  readonly ended: Promise<EngineEnd>;
  /** Milliseconds from the start of the process until it had caught up; undefined if it ended earlier. */
  readonly ready: Promise<number | undefined>;
  readonly #waiting = new Map<number, (answer: TaskAnswer | undefined) => void>();
  #next = 0;
  #stderr = '';

  private constructor(file: string, args: readonly string[], settings: Settings) {
    const began = performance.now();
    const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => name !== 'NODE_OPTIONS'));
    this.#child = spawn(process.execPath, [YOUNG_GENERATION, file, ...args], {
      env: { ...inherited, NODE_COMPILE_CACHE: compiledEngine(), ...settings },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    afterSuite(() => (this.#child.kill('SIGKILL'), this.ended));
    this.#child.stdin?.on('error', () => undefined); // it was killed during a write; `ended` reports that
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.#stderr += text));
    this.ended = once(this.#child, 'close').then(([code, signal]) => {
      for (const resolve of this.#waiting.values()) resolve(undefined);
      return { code: code as number | null, signal: signal as NodeJS.Signals | null, stderr: this.#stderr };
    });
    const lines = this.#child.stdout ? createInterface({ input: this.#child.stdout }) : undefined;
    const ready = new Promise<number>((resolve) =>
      lines?.on('line', (line) => this.#take(JSON.parse(line) as TaskAnswer | typeof READY, () => resolve(performance.now() - began))),
    );
    this.ready = Promise.race([ready, this.ended.then(() => undefined)]);
  }

  /** `model`: the embedding model; another model has vectors of another dimension or direction. */
  static start(data: string, model: string, settings: Settings = {}): EngineProcess {
    return new EngineProcess(engineFile(), [data, model], settings);
  }

  /** Resolves with undefined if the process ends before it responds. */
  ask(order: Order): Promise<TaskAnswer | undefined> {
    const id = this.#next++;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      void this.ended.then(() => resolve(undefined));
      this.#child.stdin?.write(`${JSON.stringify({ ...order, id })}\n`);
    });
  }

  /** Lets the engine finish its current work, and stops it. */
  stop(): Promise<EngineEnd> {
    void this.ask({ do: 'stop' });
    return this.ended;
  }

  kill(): Promise<EngineEnd> {
    this.#child.kill('SIGKILL');
    return this.ended;
  }

  #take(line: TaskAnswer | typeof READY, ready: () => void): void {
    if (line === READY) return ready();
    this.#waiting.get(line.id)?.(line);
    this.#waiting.delete(line.id);
  }
}
