/**
 * A worker thread: one model, one text at a time, so that the service's event loop never waits for a model. Texts are queued here, so that
 * the model does not wait for that event loop either.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';

import type { FromWorker, ToWorker, WorkerData } from './messages.ts';
import { openOnnxModel } from './onnx-model.ts';
import { lowerPriority } from './lower-priority.ts';
import { textEncoder } from './text-encoder.ts';

const port = parentPort;
if (port === null) throw new Error('embedding-worker must be started as a worker thread');

const { folder, description, lowPriority = false } = workerData as WorkerData;
if (lowPriority) lowerPriority();
const encode = textEncoder(JSON.parse(readFileSync(join(folder, 'tokenizer.json'), 'utf8')) as object, description);
const model = await openOnnxModel({ folder, description });

const answer = (message: FromWorker, transfer: ArrayBuffer[] = []): void => port.postMessage(message, transfer);

type Request = Extract<ToWorker, { type: 'embed' }>;
const waiting: Request[] = [];
let busy = false;

const embed = async ({ id, text, kind }: Request): Promise<void> => {
  try {
    const { ids, truncated } = encode(text, kind);
    const vector = (await model.vectorOf(ids)).buffer;
    answer({ type: 'embedded', id, vector, tokens: ids.length, truncated }, [vector]);
  } catch (error) {
    answer({ type: 'failed', id, reason: error instanceof Error ? error.message : String(error) });
  }
};

/** Embeds all waiting texts, queries first. Messages may arrive while the model runs. */
const work = async (): Promise<void> => {
  busy = true;
  while (waiting.length > 0) {
    const next = Math.max(
      0,
      waiting.findIndex(({ kind }) => kind === 'query'),
    );
    for (const request of waiting.splice(next, 1)) await embed(request);
  }
  busy = false;
};

port.on('message', (message: ToWorker) => {
  if (message.type === 'embed') {
    waiting.push(message);
    if (!busy) void work();
  } else {
    waiting.length = 0;
    void model.close().finally(() => port.close());
  }
});

// The first run is slow, and reveals the model's actual dimensions.
answer({ type: 'ready', width: (await model.vectorOf(encode('ready', 'passage').ids)).length });
