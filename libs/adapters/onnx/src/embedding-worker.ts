/**
 * A worker thread: one model, one text at a time, so that the service's event loop never waits for a model. What waits here saves the model
 * from waiting for that event loop.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';

import type { FromWorker, ToWorker, WorkerData } from './messages.ts';
import { openOnnxModel } from './onnx-model.ts';
import { stepBack } from './step-back.ts';
import { textEncoder } from './text-encoder.ts';

const port = parentPort;
if (port === null) throw new Error('embedding-worker is a worker thread, not a program');

const { folder, description, stepsBack = false } = workerData as WorkerData;
if (stepsBack) stepBack();
const encode = textEncoder(JSON.parse(readFileSync(join(folder, 'tokenizer.json'), 'utf8')) as object, description);
const model = await openOnnxModel({ folder, description });

const answer = (message: FromWorker, transfer: ArrayBuffer[] = []): void => port.postMessage(message, transfer);

type Asked = Extract<ToWorker, { type: 'embed' }>;
const waiting: Asked[] = [];
let busy = false;

const embed = async ({ id, text, kind }: Asked): Promise<void> => {
  try {
    const { ids, truncated } = encode(text, kind);
    const vector = (await model.vectorOf(ids)).buffer;
    answer({ type: 'embedded', id, vector, tokens: ids.length, truncated }, [vector]);
  } catch (error) {
    answer({ type: 'failed', id, reason: error instanceof Error ? error.message : String(error) });
  }
};

/** Until nothing waits, queries first. Messages come in while the model runs. */
const work = async (): Promise<void> => {
  busy = true;
  while (waiting.length > 0) {
    const next = Math.max(0, waiting.findIndex(({ kind }) => kind === 'query'));
    for (const asked of waiting.splice(next, 1)) await embed(asked);
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

// The first run is slow and shows the width that the model really has.
answer({ type: 'ready', width: (await model.vectorOf(encode('ready', 'passage').ids)).length });
