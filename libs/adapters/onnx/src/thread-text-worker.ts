import { SHARE_ENV, Worker } from 'node:worker_threads';

import { EmbeddingModelMismatch, Unavailable } from '@palimpsest/knowledge/errors';
import type { Embedding } from '@palimpsest/knowledge/ports';
import { embeddingVersionOf } from '@palimpsest/knowledge/values';

import { deferred, type Deferred } from './deferred.ts';
import type { FromWorker, ToWorker, WorkerData } from './messages.ts';
import type { ModelFolder } from './model-folder.ts';
import { WorkerDied, type TextWorker } from './text-worker.ts';

/** Longer than any single text takes. After this time the thread is terminated. */
const CLOSE_GRACE_MS = 5000;

const FROM_SOURCE = import.meta.url.endsWith('.ts');
const SCRIPT = new URL(FROM_SOURCE ? './embedding-worker.ts' : './embedding-worker.js', import.meta.url);

/** Starts a thread with its own copy of the model. An idle thread does not keep the process running. */
export const startThreadTextWorker = (model: WorkerData, script: URL = SCRIPT): TextWorker => {
  const thread = new Worker(script, {
    workerData: model,
    // The variable that `onnx-runtime.ts` sets must reach the native library.
    env: SHARE_ENV,
    execArgv: FROM_SOURCE ? ['--conditions=@palimpsest/source'] : [],
  });
  const ready = deferred<void>();
  const gone = deferred<void>();
  const answers = new Map<number, Deferred<Embedding>>();
  let nextId = 0;
  let fault: unknown;

  const settle = (message: FromWorker): void => {
    if (message.type === 'ready') {
      const mismatch = widthMismatch(model, message.width);
      if (mismatch === undefined) ready.resolve();
      else ready.reject(mismatch);
    } else {
      const answer = answers.get(message.id);
      answers.delete(message.id);
      if (message.type === 'embedded')
        answer?.resolve({ vector: new Float32Array(message.vector), tokens: message.tokens, truncated: message.truncated });
      else answer?.reject(new Unavailable(`${model.description.model} could not embed a text: ${message.reason}`));
    }
    if (answers.size === 0) thread.unref();
  };

  const end = (): void => {
    const reason = fault instanceof Error ? fault.message : 'the thread ended unexpectedly';
    ready.reject(new Unavailable(`${model.description.model} cannot be loaded: ${reason}`, { cause: fault }));
    for (const answer of answers.values()) answer.reject(new WorkerDied(reason, { cause: fault }));
    answers.clear();
    gone.resolve();
  };

  thread.on('message', settle);
  thread.on('error', (error) => (fault = error));
  thread.on('exit', end);
  const send = (message: ToWorker): void => thread.postMessage(message);

  return {
    ready: ready.promise,
    gone: gone.promise,
    embed: (text, kind) => {
      thread.ref();
      const [id, answer] = [nextId++, deferred<Embedding>()];
      answers.set(id, answer);
      send({ type: 'embed', id, text, kind });
      return answer.promise;
    },
    close: async () => {
      thread.ref();
      send({ type: 'stop' });
      const force = setTimeout(() => void thread.terminate(), CLOSE_GRACE_MS);
      await gone.promise;
      clearTimeout(force);
    },
  };
};

const widthMismatch = ({ description }: ModelFolder, width: number): EmbeddingModelMismatch | undefined =>
  width === description.dimensions
    ? undefined
    : new EmbeddingModelMismatch(embeddingVersionOf(description), [embeddingVersionOf({ ...description, dimensions: width })]);
