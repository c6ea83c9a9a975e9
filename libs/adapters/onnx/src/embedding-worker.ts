/** A worker thread: one model, one text at a time, so that the service's event loop never waits for a model. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';

import type { FromWorker, ToWorker, WorkerData } from './messages.ts';
import { openOnnxModel } from './onnx-model.ts';
import { textEncoder } from './text-encoder.ts';

const port = parentPort;
if (port === null) throw new Error('embedding-worker is a worker thread, not a program');

const { folder, description } = workerData as WorkerData;
const encode = textEncoder(JSON.parse(readFileSync(join(folder, 'tokenizer.json'), 'utf8')) as object, description);
const model = await openOnnxModel({ folder, description });

const answer = (message: FromWorker, transfer: ArrayBuffer[] = []): void => port.postMessage(message, transfer);

const embed = async ({ text, kind }: Extract<ToWorker, { type: 'embed' }>): Promise<void> => {
  try {
    const { ids, truncated } = encode(text, kind);
    const vector = (await model.vectorOf(ids)).buffer;
    answer({ type: 'embedded', vector, tokens: ids.length, truncated }, [vector]);
  } catch (error) {
    answer({ type: 'failed', reason: error instanceof Error ? error.message : String(error) });
  }
};

port.on('message', (message: ToWorker) => {
  if (message.type === 'embed') void embed(message);
  else void model.close().finally(() => port.close());
});

// The first run is slow and shows the width that the model really has.
answer({ type: 'ready', width: (await model.vectorOf(encode('ready', 'passage').ids)).length });
