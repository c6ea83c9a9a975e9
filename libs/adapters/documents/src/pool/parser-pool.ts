import { Unavailable, type ParseInput, type ParseOutcome } from '@palimpsest/knowledge';
import type { ParserLimits, PoolOptions } from '../parser-limits.ts';
import { ParserProcess } from './parser-process.ts';

type Waiting = { give: (process: ParserProcess) => void; refuse: (reason: unknown) => void };

/** A few parsing processes, started when needed and replaced when spent. Files that find none free wait in order. */
export class ParserPool {
  readonly #options: PoolOptions;
  readonly #limits: ParserLimits;
  readonly #idle: ParserProcess[] = [];
  readonly #busy = new Set<ParserProcess>();
  readonly #waiting: Waiting[] = [];
  #retirement: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: PoolOptions, limits: ParserLimits) {
    this.#options = options;
    this.#limits = limits;
  }

  async parse(input: ParseInput, signal?: AbortSignal): Promise<ParseOutcome> {
    signal?.throwIfAborted();
    const process = await this.#take(signal);
    try {
      return await process.parse(input, this.#limits, signal);
    } catch (error) {
      process.end();
      throw this.#closed && !(signal?.aborted ?? false) ? new Unavailable('the document parser was closed') : error;
    } finally {
      this.#giveBack(process);
    }
  }

  /** Ends all processes; files in work or waiting fail with `Unavailable`. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#retirement);
    for (const waiting of this.#waiting.splice(0)) waiting.refuse(new Unavailable('the document parser was closed'));
    for (const process of [...this.#idle.splice(0), ...this.#busy]) process.end();
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  #take(signal: AbortSignal | undefined): Promise<ParserProcess> {
    if (this.#closed) return Promise.reject(new Unavailable('the document parser was closed'));
    const free = this.#free();
    if (free !== undefined) return Promise.resolve(free);
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        give: (process) => { signal?.removeEventListener('abort', onAbort); resolve(process); },
        refuse: (reason) => { signal?.removeEventListener('abort', onAbort); reject(reason as Error); },
      };
      const onAbort = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(signal?.reason as Error);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#waiting.push(waiting);
    });
  }

  /** An idle process, or a new one if there may be another. The one taken is busy. */
  #free(): ParserProcess | undefined {
    // One that died while it was idle must not cost a good file its outcome.
    const fit = this.#idle.findLast((process) => process.isFit);
    for (const process of this.#idle.splice(0)) {
      if (process === fit) continue;
      if (process.isFit) this.#idle.push(process);
      else process.end();
    }
    const process = fit ?? (this.#quick() < this.#options.processes ? new ParserProcess(this.#options, () => this.#serveNext()) : undefined);
    if (process !== undefined) this.#busy.add(process);
    return process;
  }

  /** Processes in work that count: a slow one or two make room for others, so that a hostile file does not keep good ones waiting. */
  #quick(): number {
    const slow = [...this.#busy].filter(({ isSlow }) => isSlow).length;
    return this.#busy.size - Math.min(slow, this.#options.slowProcesses);
  }

  #serveNext(): void {
    const next = this.#closed || this.#waiting[0] === undefined ? undefined : this.#free();
    if (next !== undefined) this.#waiting.shift()?.give(next);
  }

  #giveBack(process: ParserProcess): void {
    this.#busy.delete(process);
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
