import { Worker } from 'node:worker_threads';
import { Corrupt, Unavailable, type KnowledgeError } from '@palimpsest/knowledge/errors';
import type { AnswerOf, ArgumentsOf, BusAnswer, BusCall, BusFault, FromWorker, Operation } from './bus-operations.ts';

type Waiting = Readonly<{ resolve: (value: unknown) => void; reject: (error: KnowledgeError) => void }>;

/** The main thread's side of the worker. Calls are executed and answered in the order in which they were made. */
export class BusThread {
  private readonly worker: Worker;
  private readonly ended: Promise<void>;
  private readonly waiting = new Map<number, Waiting>();
  private lastCall = 0;
  private gone: KnowledgeError | undefined;

  private constructor(worker: Worker) {
    this.worker = worker;
    this.ended = new Promise((resolve) => worker.once('exit', () => resolve()));
    worker.on('error', (error) => this.lose(new Unavailable('the message bus failed', { cause: error })));
    worker.on('exit', () => this.lose(new Unavailable('the message bus is closed')));
  }

  /** @throws Unavailable (the file is in use, or cannot be used), Corrupt */
  static async open(file: string): Promise<BusThread> {
    const fromSource = import.meta.url.endsWith('.ts');
    const script = new URL(fromSource ? './bus-worker.ts' : './bus-worker.js', import.meta.url);
    const execArgv = fromSource ? ['--conditions=@palimpsest/source'] : [];
    const thread = new BusThread(new Worker(script, { execArgv, workerData: { file }, name: 'message-bus' }));
    await thread.opened();
    return thread;
  }

  get isGone(): boolean {
    return this.gone !== undefined;
  }

  call<Name extends Operation>(operation: Name, args: ArgumentsOf<Name>): Promise<AnswerOf<Name>> {
    if (this.gone !== undefined) return Promise.reject(this.gone);
    this.lastCall += 1;
    const call = this.lastCall;
    return new Promise((resolve, reject) => {
      this.waiting.set(call, { resolve: (value) => resolve(value as AnswerOf<Name>), reject });
      this.worker.postMessage({ call, operation, args } as BusCall);
    });
  }

  /** Completes the calls made before. */
  async close(): Promise<void> {
    this.gone ??= new Unavailable('the message bus is closed');
    this.worker.postMessage('close');
    await this.ended;
  }

  /** Ends the thread immediately, as a kill of the process would. For tests. */
  async kill(): Promise<void> {
    this.gone ??= new Unavailable('the message bus was killed');
    await this.worker.terminate();
  }

  private opened(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.worker.once('error', (cause) => reject(new Unavailable('the message bus did not start', { cause })));
      this.worker.once('exit', () => reject(new Unavailable('the message bus did not start')));
      this.worker.once('message', (message: FromWorker) => {
        if (message !== 'open') return reject(errorOf(message as BusFault));
        this.worker.on('message', (answers: FromWorker) => this.take(answers as readonly BusAnswer[]));
        resolve();
      });
    });
  }

  private take(answers: readonly BusAnswer[]): void {
    for (const answer of answers) {
      const waiting = this.waiting.get(answer.call);
      this.waiting.delete(answer.call);
      if ('fault' in answer) waiting?.reject(errorOf(answer.fault));
      else waiting?.resolve(answer.value);
    }
  }

  private lose(error: KnowledgeError): void {
    this.gone ??= error;
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
  }
}

const errorOf = ({ kind, message }: BusFault): KnowledgeError => (kind === 'Corrupt' ? new Corrupt(message) : new Unavailable(message));
