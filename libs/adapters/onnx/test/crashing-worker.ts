/** A worker thread that returns the length of the text, and crashes on certain texts; see thread-text-worker.spec.ts. */
import { parentPort } from 'node:worker_threads';

import type { FromWorker, ToWorker } from '../src/messages.ts';

const answer = (message: FromWorker): void => parentPort?.postMessage(message);

parentPort?.on('message', (message: ToWorker) => {
  if (message.type === 'stop') parentPort?.close();
  else if (message.text === 'exit') process.exit(3);
  else if (message.text === 'throw') throw new Error('thrown in the thread');
  else if (message.text === 'fail') answer({ type: 'failed', id: message.id, reason: 'no vector for this one' });
  else answer({ type: 'embedded', id: message.id, vector: Float32Array.of(message.text.length).buffer, tokens: 1, truncated: false });
});

answer({ type: 'ready', width: 384 });
