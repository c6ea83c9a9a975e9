import { parentPort } from 'node:worker_threads';
import { parseJson } from './parse-json.ts';

parentPort?.on('message', ({ id, bytes, names }: Readonly<{ id: number; bytes: Uint8Array; names: number }>) => {
  parentPort?.postMessage({ id, parsed: parseJson(bytes, names) });
});
