import { SHARE_ENV, Worker } from 'node:worker_threads';

import { Unavailable } from '@palimpsest/knowledge/errors';

import { deferred, type Deferred } from './deferred.ts';
import { WorkerDied, type TextWorker } from './text-worker.ts';

/** Longer than any single text takes. After this time the thread is terminated. */
const CLOSE_GRACE_MS = 5000;

const FROM_SOURCE = import.meta.url.endsWith('.ts');

/** The script of a thread next to this file. */
export const threadScript = (name: string): URL => new URL(`./${name}.${FROM_SOURCE ? 'ts' : 'js'}`, import.meta.url);

/** What a thread sends: `ready` once at the start, then an answer for each text. */
export type FromThread<Ready, Answered> = Ready | Answered | Readonly<{ type: 'failed'; id: number; reason: string }>;
type ReadyMessage = Readonly<{ type: 'ready' }>;
type AnsweredMessage = Readonly<{ type: string; id: number }>;

/** `model`: its name, for errors. `refusal`: why a thread that is ready cannot be used. */
export type Thread<Ready extends ReadyMessage, Answered extends AnsweredMessage, Answer> = Readonly<{
  script: URL;
  data: object;
  model: string;
  refusal?: (ready: Ready) => Error | undefined;
  answerOf: (answered: Answered) => Answer;
}>;

/** Starts a thread with its own copy of the model. An idle thread does not keep the process running. */
export const startThreadWorker = <Text, Answer, Ready extends ReadyMessage, Answered extends AnsweredMessage>({
  script,
  data,
  model,
  refusal,
  answerOf,
}: Thread<Ready, Answered, Answer>): TextWorker<Text, Answer> => {
  const thread = new Worker(script, {
    workerData: data,
    // The variable that `onnx-runtime.ts` sets must reach the native library.
    env: SHARE_ENV,
    execArgv: FROM_SOURCE ? ['--conditions=@palimpsest/source'] : [],
  });
  const ready = deferred<void>();
  const gone = deferred<void>();
  const answers = new Map<number, Deferred<Answer>>();
  let nextId = 0;
  let fault: unknown;

  const settle = (message: FromThread<Ready, Answered>): void => {
    if (!('id' in message)) {
      const refused = refusal?.(message as Ready);
      if (refused === undefined) ready.resolve();
      else ready.reject(refused);
    } else {
      const answer = answers.get(message.id);
      answers.delete(message.id);
      if (message.type === 'failed')
        answer?.reject(new Unavailable(`${model} could not process a text: ${(message as Readonly<{ reason: string }>).reason}`));
      else answer?.resolve(answerOf(message as Answered));
    }
    if (answers.size === 0) thread.unref();
  };

  const end = (): void => {
    const reason = fault instanceof Error ? fault.message : 'the thread ended unexpectedly';
    ready.reject(new Unavailable(`${model} cannot be loaded: ${reason}`, { cause: fault }));
    for (const answer of answers.values()) answer.reject(new WorkerDied(reason, { cause: fault }));
    answers.clear();
    gone.resolve();
  };

  thread.on('message', settle);
  thread.on('error', (error) => (fault = error));
  thread.on('exit', end);

  return {
    ready: ready.promise,
    gone: gone.promise,
    embed: (text, kind) => {
      thread.ref();
      const [id, answer] = [nextId++, deferred<Answer>()];
      answers.set(id, answer);
      thread.postMessage({ type: 'embed', id, text, kind });
      return answer.promise;
    },
    close: async () => {
      thread.ref();
      thread.postMessage({ type: 'stop' });
      const force = setTimeout(() => void thread.terminate(), CLOSE_GRACE_MS);
      await gone.promise;
      clearTimeout(force);
    },
  };
};
