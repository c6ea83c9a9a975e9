import { Worker } from 'node:worker_threads';
import { Unavailable } from '@palimpsest/knowledge/errors';
import { errorOf } from './fault-error.ts';
import type { CallMessage, Calls, ReplyMessage } from './worker-protocol.ts';

type Pending = Readonly<{ resolve: (answer: unknown) => void; reject: (error: Error) => void }>;

/**
 * Typed calls to one worker thread. When the worker dies, all pending calls fail with Unavailable (it is unknown whether they were
 * executed), and the next call starts a new worker.
 */
export class WorkerChannel<C extends Calls> {
  readonly #name: string;
  readonly #script: URL;
  readonly #open: C['open']['request'];
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | undefined;
  #opened: Promise<C['open']['answer']> | undefined;
  #closing: Promise<void> | undefined;
  #lastCall = 0;

  /** `name` is the name of the worker in error messages; `open` is sent to each worker that is started. */
  constructor(name: string, script: URL, open: C['open']['request']) {
    this.#name = name;
    this.#script = script;
    this.#open = open;
  }

  /** Starts the worker unless it is running, and returns the result of its `open`. */
  open(): Promise<C['open']['answer']> {
    if (this.#closing !== undefined) return Promise.reject(new Unavailable(`${this.#name} is closed`));
    this.#opened ??= this.#start();
    return this.#opened;
  }

  async call<Kind extends keyof C & string>(kind: Kind, request: C[Kind]['request']): Promise<C[Kind]['answer']> {
    await this.open();
    return this.#send(kind, request);
  }

  /** Waits for the calls in progress. The worker thread has ended when this resolves. */
  close(): Promise<void> {
    this.#closing ??= this.#stop();
    return this.#closing;
  }

  async #start(): Promise<C['open']['answer']> {
    const fromSource = this.#script.pathname.endsWith('.ts');
    const worker = new Worker(this.#script, { execArgv: fromSource ? ['--conditions=@palimpsest/source'] : [] });
    this.#worker = worker;
    worker.on('message', (reply: ReplyMessage) => this.#settle(reply));
    worker.on('error', (cause) => this.#lost(worker, cause));
    worker.on('exit', (code) => this.#lost(worker, new Error(`exit code ${code}`)));
    try {
      return await this.#send('open', this.#open);
    } catch (error) {
      this.#opened = undefined;
      await worker.terminate();
      throw error;
    }
  }

  async #stop(): Promise<void> {
    if (this.#opened === undefined) return;
    await this.#opened.catch(() => undefined); // the caller of `open` got the error
    const worker = this.#worker;
    if (worker === undefined) return;
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    await this.#send('close', null);
    await ended;
  }

  #send<Kind extends keyof C & string>(kind: Kind, request: C[Kind]['request']): Promise<C[Kind]['answer']> {
    return new Promise((resolve, reject) => {
      if (this.#worker === undefined) throw new Unavailable(`${this.#name} has stopped`);
      this.#lastCall += 1;
      const message = { call: this.#lastCall, kind, request } as CallMessage<C>;
      this.#worker.postMessage(message);
      this.#pending.set(message.call, { resolve, reject });
    });
  }

  #settle(reply: ReplyMessage): void {
    const pending = this.#pending.get(reply.call);
    this.#pending.delete(reply.call);
    if (reply.outcome === 'answered') pending?.resolve(reply.answer);
    else pending?.reject(errorOf(reply.fault));
  }

  #lost(worker: Worker, cause: Error): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    this.#opened = undefined;
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const { reject } of pending) reject(new Unavailable(`${this.#name} has stopped unexpectedly: ${cause.message}`, { cause }));
  }
}
