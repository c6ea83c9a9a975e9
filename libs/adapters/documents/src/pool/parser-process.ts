import { fork, type ChildProcess } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import type { Socket } from 'node:net';
import { Unavailable, type ParseFailure, type ParseInput, type ParseOutcome } from '@palimpsest/knowledge';
import type { ParseReply, ParseRequest } from '../child/messages.ts';
import { humanSize } from '../human-size.ts';
import type { ParserLimits, PoolOptions } from '../parser-limits.ts';
import { processorTime } from './processor-time.ts';
import { residentMemory } from './resident-memory.ts';

/** How often the memory of a busy process is read, milliseconds. */
const WATCH_MS = 50;
/** A process that is not there after so long never will be, milliseconds. */
const START_MS = 30_000;
/** A process that keeps more than this share of its memory limit between files would be killed for its past, not for a file. */
const FIT_SHARE = 0.6;
/** A file that has taken this much of a processor is none of the quick ones, milliseconds; nearly all real documents are through. */
const SLOW_CPU_MS = 2_000;
/** Errors that the process printed last, to tell why it died. */
const KEPT_STDERR = 4_000;
const MEGABYTE = 1024 * 1024;

type Rejected = Extract<ParseOutcome, { outcome: 'rejected' }>;
const rejected = (reason: ParseFailure, detail: string): Rejected => ({ outcome: 'rejected', reason, detail });

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
  readonly #onSlow: () => void;

  /** `onSlow`: a file takes long, from now on with what the others leave over of the processors. */
  constructor(options: PoolOptions, onSlow: () => void = () => undefined) {
    this.#onSlow = onSlow;
    this.#options = options;
    const fromSource = import.meta.url.endsWith('.ts');
    this.#child = fork(new URL(fromSource ? '../child/parse-worker.ts' : '../child/parse-worker.js', import.meta.url), [String(options.maxRssBytes)], {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      // No secrets reach a process that handles what others wrote, nor may it write files, start programs or load native code.
      env: { TZ: 'UTC', LANG: 'C.UTF-8' },
      execArgv: [
        `--max-old-space-size=${Math.max(64, Math.floor((options.maxRssBytes * 0.85) / MEGABYTE))}`,
        '--permission', '--allow-fs-read=*', '--allow-worker', '--no-warnings', '--expose-gc',
        ...(fromSource ? ['--conditions=@palimpsest/source'] : []),
      ],
    });
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

  get isSlow(): boolean {
    return this.#slow;
  }

  /** Resident memory, bytes; 0 when it cannot be told. */
  memory(): number {
    return residentMemory(this.pid) ?? 0;
  }

  /** Throws `Unavailable` when the process does not start, and the signal's reason when aborted; then the process is dead. */
  async parse(input: ParseInput, limits: ParserLimits, signal?: AbortSignal): Promise<ParseOutcome> {
    await this.#ready;
    signal?.throwIfAborted();
    this.#files++;
    this.#holdEventLoop(true);
    const { timeoutMs, maxRssBytes } = this.#options;
    const timer = setTimeout(() => this.#kill(rejected('time-out', `The file could not be read within ${timeoutMs / 1000} seconds.`)), timeoutMs);
    const computed = processorTime(this.pid) ?? 0;
    const watch = setInterval(() => {
      if (this.memory() > maxRssBytes) this.#kill(this.#tooLarge());
      else if (!this.#slow && (processorTime(this.pid) ?? 0) - computed > SLOW_CPU_MS) this.#giveWay();
    }, WATCH_MS);
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
      clearTimeout(timer);
      clearInterval(watch);
      signal?.removeEventListener('abort', onAbort);
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

  #giveWay(): void {
    this.#slow = true;
    try {
      setPriority(this.pid, constants.priority.PRIORITY_LOW);
    } catch {
      // It has just ended, or the system does not allow it: then it goes on as it is.
    }
    this.#onSlow();
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
