import { Unavailable, type ParseInput, type ParseOutcome } from '@palimpsest/knowledge';
import type { ParserLimits, PoolOptions } from '../parser-limits.ts';
import { ParserProcess } from './parser-process.ts';

type Waiting = { give: (process: ParserProcess) => void; refuse: (reason: unknown) => void };
/** Where a file is read: among all, or where those are that took long. */
type Lane = 'quick' | 'slow';

/** Why a file's process was taken from it: it took long, and others waited. */
const PUT_ASIDE = new Error('put aside');

/**
 * A few parsing processes, started when needed and replaced when spent. Files that find none free wait in order. One that takes
 * longer than its size explains leaves its place to the next and goes on beside it, at low priority; when as many as may do so
 * already, it is stopped once somebody waits for its place, and begun anew when a slow one is through. So no file, however
 * hostile, keeps others waiting for longer than that.
 */
export class ParserPool {
  readonly #options: PoolOptions;
  readonly #limits: ParserLimits;
  readonly #idle: ParserProcess[] = [];
  /** Each with what puts its file aside. */
  readonly #busy = new Map<ParserProcess, AbortController>();
  /** Those of them whose files take long, in the order in which that was found. The first ones are beside the others, any more in their places. */
  readonly #slow = new Set<ParserProcess>();
  readonly #waiting: Readonly<Record<Lane, Waiting[]>> = { quick: [], slow: [] };
  #retirement: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: PoolOptions, limits: ParserLimits) {
    this.#options = options;
    this.#limits = limits;
  }

  /** `onSlow` is called when the file takes longer than its size explains, at most once. */
  async parse(input: ParseInput, signal?: AbortSignal, onSlow: () => void = () => undefined): Promise<ParseOutcome> {
    signal?.throwIfAborted();
    try {
      return await this.#read(input, 'quick', signal, onSlow);
    } catch (error) {
      if (error !== PUT_ASIDE) throw error;
      return await this.#read(input, 'slow', signal, () => undefined);
    }
  }

  /** Ends all processes; files in work or waiting fail with `Unavailable`. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#retirement);
    for (const lane of Object.values(this.#waiting)) for (const waiting of lane.splice(0)) waiting.refuse(new Unavailable('the document parser was closed'));
    for (const process of [...this.#idle.splice(0), ...this.#busy.keys()]) process.end();
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  async #read(input: ParseInput, lane: Lane, signal: AbortSignal | undefined, onSlow: () => void): Promise<ParseOutcome> {
    const process = await this.#take(lane, signal);
    const aside = this.#busy.get(process)?.signal;
    try {
      const either = AbortSignal.any([signal, aside].filter((one) => one !== undefined));
      const slow = (): void => {
        this.#slow.add(process);
        onSlow();
        this.#serveNext();
      };
      return await process.parse(input, this.#limits, { signal: either, behind: lane === 'slow', onSlow: slow });
    } catch (error) {
      process.end();
      throw this.#closed && !(signal?.aborted ?? false) ? new Unavailable('the document parser was closed') : error;
    } finally {
      this.#giveBack(process);
    }
  }

  #take(lane: Lane, signal: AbortSignal | undefined): Promise<ParserProcess> {
    if (this.#closed) return Promise.reject(new Unavailable('the document parser was closed'));
    const line = this.#waiting[lane];
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        give: (process) => { signal?.removeEventListener('abort', onAbort); resolve(process); },
        refuse: (reason) => { signal?.removeEventListener('abort', onAbort); reject(reason as Error); },
      };
      const onAbort = (): void => {
        line.splice(line.indexOf(waiting), 1);
        reject(signal?.reason as Error);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      line.push(waiting);
      this.#serveNext();
    });
  }

  #serveNext(): void {
    if (this.#closed) return;
    const { quick, slow } = this.#waiting;
    while (quick.length > 0 && this.#inQuickPlaces() < this.#options.processes) quick.shift()?.give(this.#newlyBusy());
    while (slow.length > 0 && this.#slow.size < this.#options.slowProcesses) {
      const process = this.#newlyBusy();
      this.#slow.add(process);
      slow.shift()?.give(process);
    }
    this.#putAside(quick.length);
  }

  /** An idle process, or a new one. */
  #newlyBusy(): ParserProcess {
    // One that died while it was idle must not cost a good file its outcome.
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

  /** Processes in work that count: so many slow ones are beside them. */
  #inQuickPlaces(): number {
    return this.#busy.size - Math.min(this.#slow.size, this.#options.slowProcesses);
  }

  /** Of the slow ones in quick places as many as others wait for, the latest first. */
  #putAside(places: number): void {
    const tooMany = [...this.#slow].slice(this.#options.slowProcesses).map((process) => this.#busy.get(process)).reverse();
    const staying = tooMany.filter((aside) => aside?.signal.aborted === false);
    const leaving = tooMany.length - staying.length;
    for (const aside of staying.slice(0, Math.max(0, places - leaving))) aside?.abort(PUT_ASIDE);
  }

  #giveBack(process: ParserProcess): void {
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
