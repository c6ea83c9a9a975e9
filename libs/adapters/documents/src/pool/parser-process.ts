import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import { Unavailable, type ParseFailure, type ParseInput, type ParseOutcome } from '@palimpsest/knowledge';
import type { ParseReply, ParseRequest } from '../child/messages.ts';
import { humanSize } from '../human-size.ts';
import type { ParserLimits, PoolOptions } from '../parser-limits.ts';
import { allowanceOf } from './file-allowance.ts';
import { comeBack, giveWay, startBehind } from './process-priority.ts';
import { processorTime } from './processor-time.ts';
import { residentMemory } from './resident-memory.ts';
import { startParserProcess } from './start-parser-process.ts';

/** How often memory and computing of a busy process are read, milliseconds. */
const WATCH_MS = 50;
/** A process that is not there after so long never will be, milliseconds. */
const START_MS = 120_000;
/** A process that keeps more than this share of its memory limit between files would be killed for its past, not for a file. */
const FIT_SHARE = 0.6;
/** Errors that the process printed last, to tell why it died. */
const KEPT_STDERR = 4_000;

/** How a file is to be read: behind the others from the start, or until `onSlow`, which is called when it takes longer than its size explains. */
export type Reading = Readonly<{ signal?: AbortSignal | undefined; behind?: boolean; onSlow?: () => void }>;

type Rejected = Extract<ParseOutcome, { outcome: 'rejected' }>;
const rejected = (reason: ParseFailure, detail: string): Rejected => ({ outcome: 'rejected', reason, detail });
const tooSlow = (how: string): Rejected => rejected('time-out', `The file could not be read ${how}.`);

/** One parsing process. It parses one file at a time; whatever becomes of it, `parse` answers. */
export class ParserProcess {
  readonly #child: ChildProcess;
  readonly #options: PoolOptions;
  readonly #ready: Promise<void>;
  #settle: ((outcome: ParseOutcome) => void) | undefined;
  /** Why it was killed here, if it was. */
  #sentence: Rejected | undefined;
  #stderr = '';
  #files = 0;
  #gone = false;
  #slow = false;
  #priority = 0;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#child = startParserProcess(options.maxRssBytes);
    if (this.#child.pid !== undefined) startBehind(this.#child.pid);
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

  /** Whether another file may be given to it. */
  get isFit(): boolean {
    // What was made to give way cannot be made to go before again.
    return !this.#gone && !this.#slow && this.#files < this.#options.filesPerProcess && this.memory() < this.#options.maxRssBytes * FIT_SHARE;
  }

  /** Resident memory, bytes; 0 when it cannot be told. */
  memory(): number {
    return residentMemory(this.pid) ?? 0;
  }

  /** Throws `Unavailable` when the process does not start, and the signal's reason when aborted; then the process is dead. */
  async parse(input: ParseInput, limits: ParserLimits, reading: Reading = {}): Promise<ParseOutcome> {
    const { signal } = reading;
    await this.#ready;
    signal?.throwIfAborted();
    this.#files++;
    this.#holdEventLoop(true);
    const unwatch = this.#watch(input.bytes.length, reading);
    const onAbort = (): void => this.end();
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      const outcome = await new Promise<ParseOutcome>((resolve) => {
        this.#settle = resolve;
        if (this.#gone) this.#onGone(null);
        // A send that fails is followed by `exit`, which answers.
        else this.#child.send({ input, limits } satisfies ParseRequest, () => undefined);
      });
      signal?.throwIfAborted();
      return outcome;
    } finally {
      this.#settle = undefined;
      this.#holdEventLoop(false);
      unwatch();
      signal?.removeEventListener('abort', onAbort);
      if (this.#slow && !this.#gone) this.#slow = !comeBack(this.pid, this.#priority);
    }
  }

  /** Ends the process at once; a file in work is answered as if the process had died. */
  end(): void {
    this.#gone = true;
    this.#child.kill('SIGKILL');
  }

  #started(): Promise<void> {
    return new Promise((resolve, reject) => {
      const fail = (): void => {
        clearTimeout(timer);
        reject(new Unavailable(`the parsing process did not start: ${this.#stderr.trim().slice(0, 500) || 'no reason given'}`));
      };
      const timer = setTimeout(() => { this.end(); fail(); }, START_MS);
      this.#child.once('message', () => { clearTimeout(timer); resolve(); });
      this.#child.once('exit', fail);
      this.#child.once('error', fail);
    });
  }

  /** Only work keeps this program running, not a process that waits for some. */
  #holdEventLoop(hold: boolean): void {
    const handles = [this.#child, this.#child.channel, this.#child.stderr as Socket | null];
    for (const handle of handles) handle?.[hold ? 'ref' : 'unref']();
  }

  /** Over time, computing and memory of one file. Answers what ends it. */
  #watch(bytes: number, { behind, onSlow }: Reading): () => void {
    const { timeoutMs, slowTimeoutMs, maxRssBytes } = this.#options;
    const { quickMs, computeMs } = allowanceOf(bytes, this.#options);
    const within = (ms: number): NodeJS.Timeout => setTimeout(() => this.#kill(tooSlow(`within ${ms / 1000} seconds`)), ms);
    let timer = within(timeoutMs);
    const slowDown = (): void => {
      this.#slow = true;
      this.#priority = giveWay(this.pid);
      clearTimeout(timer);
      timer = within(slowTimeoutMs);
    };
    if (behind === true) slowDown();
    const before = processorTime(this.pid) ?? 0;
    const interval = setInterval(() => {
      const computed = (processorTime(this.pid) ?? 0) - before;
      if (this.memory() > maxRssBytes) this.#kill(this.#tooLarge());
      else if (!this.#slow && computed > quickMs) {
        slowDown();
        onSlow?.();
      } else if (computed > computeMs) this.#kill(tooSlow(`with ${computeMs / 1000} seconds of computing, which is what ${humanSize(bytes)} may take`));
    }, WATCH_MS);
    return () => {
      clearTimeout(timer);
      clearInterval(interval);
    };
  }

  #kill(sentence: Rejected): void {
    this.#sentence = sentence;
    this.end();
  }

  #tooLarge(): Rejected {
    return rejected('too-large', `Reading the file took more than ${humanSize(this.#options.maxRssBytes)} of memory.`);
  }

  #onGone(signal: NodeJS.Signals | null): void {
    this.#gone = true;
    // SIGKILL by none of ours: the guard thread, or the system's own memory watch. V8 aborts when its heap is full.
    const outOfMemory = signal === 'SIGKILL' || /out of memory|heap limit|allocation failed/i.test(this.#stderr);
    this.#settle?.(this.#sentence ?? (outOfMemory ? this.#tooLarge() : rejected('corrupt', 'The parser broke down on this file; it is probably damaged.')));
  }
}
