import { Unavailable } from '@palimpsest/knowledge/errors';
import type { ParseInput, ParseOutcome } from '@palimpsest/knowledge/ports';
import type { ParserLimits, PoolOptions } from '../parser-limits.ts';
import { ParserProcess } from './parser-process.ts';

type Waiting = { resolve: (process: ParserProcess) => void; reject: (reason: unknown) => void };
/** Files start in the quick lane; preempted slow files continue in the slow lane. */
type Lane = 'quick' | 'slow';

/** The abort reason of a slow file whose process was needed for a waiting file. */
const PREEMPTED = new Error('preempted');

/**
 * A few parser processes that are started when needed and replaced after use. Files wait in order for a free process. A file that takes
 * longer than expected for its size becomes slow: it continues at low priority, and an additional process starts the next file. If the
 * maximum number of slow processes is reached, a slow file is stopped as soon as another file waits, and is parsed again from the start
 * after a slow process becomes free. So no file, however hostile, blocks other files for longer than that.
 */
export class ParserPool {
  readonly #options: PoolOptions;
  readonly #limits: ParserLimits;
  readonly #idle: ParserProcess[] = [];
  /** Each with the controller that preempts its file. */
  readonly #busy = new Map<ParserProcess, AbortController>();
  /** The busy processes with slow files, in the order of detection. The first use the additional slots, the others block quick slots. */
  readonly #slow = new Set<ParserProcess>();
  readonly #waiting: Readonly<Record<Lane, Waiting[]>> = { quick: [], slow: [] };
  #retirement: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: PoolOptions, limits: ParserLimits) {
    this.#options = options;
    this.#limits = limits;
  }

  /** `onSlow` is called at most once, when the file takes longer than expected for its size. */
  async parse(input: ParseInput, signal?: AbortSignal, onSlow: () => void = () => undefined): Promise<ParseOutcome> {
    signal?.throwIfAborted();
    try {
      return await this.#read(input, 'quick', signal, onSlow);
    } catch (error) {
      if (error !== PREEMPTED) throw error;
      return await this.#read(input, 'slow', signal, () => undefined);
    }
  }

  /** Ends all processes; files in progress or waiting fail with `Unavailable`. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#retirement);
    for (const lane of Object.values(this.#waiting))
      for (const waiting of lane.splice(0)) waiting.reject(new Unavailable('the document parser was closed'));
    for (const process of [...this.#idle.splice(0), ...this.#busy.keys()]) process.end();
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  async #read(input: ParseInput, lane: Lane, signal: AbortSignal | undefined, onSlow: () => void): Promise<ParseOutcome> {
    const process = await this.#acquire(lane, signal);
    const preemption = this.#busy.get(process)?.signal;
    try {
      const either = AbortSignal.any([signal, preemption].filter((one) => one !== undefined));
      const slow = (): void => {
        this.#slow.add(process);
        onSlow();
        this.#serveNext();
      };
      return await process.parse(input, this.#limits, { signal: either, lowPriority: lane === 'slow', onSlow: slow });
    } catch (error) {
      process.end();
      throw this.#closed && !(signal?.aborted ?? false) ? new Unavailable('the document parser was closed') : error;
    } finally {
      this.#release(process);
    }
  }

  #acquire(lane: Lane, signal: AbortSignal | undefined): Promise<ParserProcess> {
    if (this.#closed) return Promise.reject(new Unavailable('the document parser was closed'));
    const queue = this.#waiting[lane];
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        resolve: (process) => {
          signal?.removeEventListener('abort', onAbort);
          resolve(process);
        },
        reject: (reason) => {
          signal?.removeEventListener('abort', onAbort);
          reject(reason as Error);
        },
      };
      const onAbort = (): void => {
        queue.splice(queue.indexOf(waiting), 1);
        reject(signal?.reason as Error);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      queue.push(waiting);
      this.#serveNext();
    });
  }

  #serveNext(): void {
    if (this.#closed) return;
    const { quick, slow } = this.#waiting;
    while (quick.length > 0 && this.#quickInUse() < this.#options.processes) quick.shift()?.resolve(this.#startBusy());
    while (slow.length > 0 && this.#slow.size < this.#options.slowProcesses) {
      const process = this.#startBusy();
      this.#slow.add(process);
      slow.shift()?.resolve(process);
    }
    this.#preempt(quick.length);
  }

  /** An idle process, or a new one. */
  #startBusy(): ParserProcess {
    // Do not use a process that died while it was idle.
    const fit = this.#idle.findLast((process) => process.isFit);
    for (const process of this.#idle.splice(0)) {
      if (process === fit) continue;
      if (process.isFit) this.#idle.push(process);
      else process.end();
    }
    const process = fit ?? new ParserProcess(this.#options);
    this.#busy.set(process, new AbortController());
    return process;
  }

  /** Number of quick slots in use: slow processes within their own limit do not count. */
  #quickInUse(): number {
    return this.#busy.size - Math.min(this.#slow.size, this.#options.slowProcesses);
  }

  /** Preempts as many slow processes in quick slots as files are waiting, the latest first. */
  #preempt(waiting: number): void {
    const tooMany = [...this.#slow]
      .slice(this.#options.slowProcesses)
      .map((process) => this.#busy.get(process))
      .reverse();
    const staying = tooMany.filter((preemption) => preemption?.signal.aborted === false);
    const leaving = tooMany.length - staying.length;
    for (const preemption of staying.slice(0, Math.max(0, waiting - leaving))) preemption?.abort(PREEMPTED);
  }

  #release(process: ParserProcess): void {
    this.#busy.delete(process);
    this.#slow.delete(process);
    if (!this.#closed && process.isFit) this.#idle.push(process);
    else process.end();
    if (this.#closed) return;
    this.#serveNext();
    this.#retireIdleLater();
  }

  #retireIdleLater(): void {
    clearTimeout(this.#retirement);
    this.#retirement = setTimeout(() => {
      for (const process of this.#idle.splice(0)) process.end();
    }, this.#options.idleMs);
    this.#retirement.unref();
  }
}
