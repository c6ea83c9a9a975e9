import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import { Unavailable } from '@palimpsest/knowledge/errors';
import type { ParseFailure, ParseInput, ParseOutcome } from '@palimpsest/knowledge/ports';
import type { ParseReply, ParseRequest } from '../child/messages.ts';
import { humanSize } from '../human-size.ts';
import type { ParserLimits, PoolOptions } from '../parser-limits.ts';
import { allowanceOf } from './file-allowance.ts';
import { restorePriority, lowerPriority, setBasePriority } from './process-priority.ts';
import { processorTime } from './processor-time.ts';
import { residentMemory } from './resident-memory.ts';
import { startParserProcess } from './start-parser-process.ts';

/** Interval at which memory and CPU time of a busy process are read, milliseconds. */
const WATCH_MS = 50;
/** Maximum time for a process to start, milliseconds. */
const START_MS = 120_000;
/** A process above this share of its memory limit between files is not reused: it would be killed because of earlier files. */
const FIT_SHARE = 0.6;
/** Number of characters of the last error output, used to find out why a process died. */
const KEPT_STDERR = 4_000;

/** `lowPriority`: parse at low priority from the start. `onSlow` is called when the file takes longer than expected for its size. */
export type Reading = Readonly<{ signal?: AbortSignal | undefined; lowPriority?: boolean; onSlow?: () => void }>;

type Rejected = Extract<ParseOutcome, { outcome: 'rejected' }>;
const rejected = (reason: ParseFailure, detail: string): Rejected => ({ outcome: 'rejected', reason, detail });
const tooSlow = (how: string): Rejected => rejected('time-out', `The file could not be read ${how}.`);

/** One parser process. It parses one file at a time. `parse` always settles, whatever happens to the process. */
export class ParserProcess {
  readonly #child: ChildProcess;
  readonly #options: PoolOptions;
  readonly #ready: Promise<void>;
  #settle: ((outcome: ParseOutcome) => void) | undefined;
  /** The outcome if the process was killed here. */
  #verdict: Rejected | undefined;
  #stderr = '';
  #files = 0;
  #gone = false;
  #slow = false;
  #priority = 0;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#child = startParserProcess(options.maxRssBytes);
    if (this.#child.pid !== undefined) setBasePriority(this.#child.pid);
    this.#ready = this.#started();
    this.#ready.catch(() => undefined);
    this.#child.stderr?.on('data', (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk.toString('utf8')).slice(-KEPT_STDERR);
    });
    this.#child.on('exit', (_code, signal) => this.#onGone(signal));
    this.#child.on('error', () => this.#onGone(null));
    this.#child.on('message', (message: ParseReply) => {
      if (message.type === 'outcome') this.#settle?.(message.outcome);
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Whether it can parse another file. */
  get isFit(): boolean {
    // A process whose priority could not be restored stays slow.
    return (
      !this.#gone && !this.#slow && this.#files < this.#options.filesPerProcess && this.memory() < this.#options.maxRssBytes * FIT_SHARE
    );
  }

  /** Resident memory, bytes; 0 if it is unknown. */
  memory(): number {
    return residentMemory(this.pid) ?? 0;
  }

  /** Throws `Unavailable` if the process does not start. Throws the signal's reason when aborted; the process is then dead. */
  async parse(input: ParseInput, limits: ParserLimits, reading: Reading = {}): Promise<ParseOutcome> {
    const { signal } = reading;
    await this.#ready;
    signal?.throwIfAborted();
    this.#files++;
    this.#keepEventLoopAlive(true);
    const unwatch = this.#watch(input.bytes.length, reading);
    const onAbort = (): void => this.end();
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      const outcome = await new Promise<ParseOutcome>((resolve) => {
        this.#settle = resolve;
        if (this.#gone) this.#onGone(null);
        // A failed send is followed by `exit`, which settles the promise.
        else this.#child.send({ input, limits } satisfies ParseRequest, () => undefined);
      });
      signal?.throwIfAborted();
      return outcome;
    } finally {
      this.#settle = undefined;
      this.#keepEventLoopAlive(false);
      unwatch();
      signal?.removeEventListener('abort', onAbort);
      if (this.#slow && !this.#gone) this.#slow = !restorePriority(this.pid, this.#priority);
    }
  }

  /** Kills the process; a file in progress settles as if the process had died. */
  end(): void {
    this.#gone = true;
    this.#child.kill('SIGKILL');
  }

  #started(): Promise<void> {
    return new Promise((resolve, reject) => {
      const fail = (): void => {
        clearTimeout(timer);
        reject(new Unavailable(`the parser process did not start: ${this.#stderr.trim().slice(0, 500) || 'no reason given'}`));
      };
      const timer = setTimeout(() => {
        this.end();
        fail();
      }, START_MS);
      this.#child.once('message', () => {
        clearTimeout(timer);
        resolve();
      });
      this.#child.once('exit', fail);
      this.#child.once('error', fail);
    });
  }

  /** Only work in progress keeps this program running, not an idle process. */
  #keepEventLoopAlive(keep: boolean): void {
    const handles = [this.#child, this.#child.channel, this.#child.stderr as Socket | null];
    for (const handle of handles) handle?.[keep ? 'ref' : 'unref']();
  }

  /** Watches time, CPU time and memory of one file. Returns a function that stops watching. */
  #watch(bytes: number, { lowPriority, onSlow }: Reading): () => void {
    const { timeoutMs, slowTimeoutMs, maxRssBytes } = this.#options;
    const { quickMs, computeMs } = allowanceOf(bytes, this.#options);
    const within = (ms: number): NodeJS.Timeout => setTimeout(() => this.#kill(tooSlow(`within ${ms / 1000} seconds`)), ms);
    let timer = within(timeoutMs);
    const slowDown = (): void => {
      this.#slow = true;
      this.#priority = lowerPriority(this.pid);
      clearTimeout(timer);
      timer = within(slowTimeoutMs);
    };
    if (lowPriority === true) slowDown();
    const before = processorTime(this.pid) ?? 0;
    const interval = setInterval(() => {
      const computed = (processorTime(this.pid) ?? 0) - before;
      if (this.memory() > maxRssBytes) this.#kill(this.#tooLarge());
      else if (!this.#slow && computed > quickMs) {
        slowDown();
        onSlow?.();
      } else if (computed > computeMs)
        this.#kill(tooSlow(`within ${computeMs / 1000} seconds of CPU time, the limit for ${humanSize(bytes)}`));
    }, WATCH_MS);
    return () => {
      clearTimeout(timer);
      clearInterval(interval);
    };
  }

  #kill(verdict: Rejected): void {
    this.#verdict = verdict;
    this.end();
  }

  #tooLarge(): Rejected {
    return rejected('too-large', `Reading the file took more than ${humanSize(this.#options.maxRssBytes)} of memory.`);
  }

  #onGone(signal: NodeJS.Signals | null): void {
    this.#gone = true;
    // A SIGKILL that was not sent here comes from the guard thread or the system's out-of-memory killer. V8 aborts when its heap is full.
    const outOfMemory = signal === 'SIGKILL' || /out of memory|heap limit|allocation failed/i.test(this.#stderr);
    this.#settle?.(
      this.#verdict ??
        (outOfMemory ? this.#tooLarge() : rejected('corrupt', 'The parser crashed on this file; the file is probably damaged.')),
    );
  }
}
