/** A worker thread: one cross-encoder, one pair at a time, so that the service's event loop never waits for a model. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';

import type { FromPairWorker, ToPairWorker } from './messages.ts';
import type { PairFolder } from './pair-description.ts';
import { pairEncoder } from './pair-encoder.ts';
import { openPairModel } from './pair-model.ts';

const port = parentPort;
if (port === null) throw new Error('pair-worker must be started as a worker thread');

const { folder, description } = workerData as PairFolder;
const encode = pairEncoder(JSON.parse(readFileSync(join(folder, 'tokenizer.json'), 'utf8')) as object, description);
const model = await openPairModel({ folder, description });

const answer = (message: FromPairWorker): void => port.postMessage(message);

type Request = Extract<ToPairWorker, { type: 'embed' }>;

const score = async ({ id, text: { query, passage } }: Request): Promise<void> => {
  try {
    answer({ type: 'scored', id, score: await model.scoreOf(encode(query, passage)) });
  } catch (error) {
    answer({ type: 'failed', id, reason: error instanceof Error ? error.message : String(error) });
  }
};

let last = Promise.resolve();
port.on('message', (message: ToPairWorker) => {
  if (message.type === 'embed') last = last.then(() => score(message));
  else void model.close().finally(() => port.close());
});

// The first run is slow, and reveals whether the model gives scores at all.
await model.scoreOf(encode('ready', 'ready'));
answer({ type: 'ready' });
