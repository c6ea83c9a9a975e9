/** Analyses texts outside the event loop and encodes their terms in the format of the journal. */
import { parentPort } from 'node:worker_threads';
import { analysed, type AnalysedPut } from '../partition/chunk-record.ts';
import { encodeRecords } from '../storage/batch.ts';
import type { AnalysisAnswer, AnalysisRequest } from './analysis-thread.ts';

const port = parentPort;
if (port === null) throw new Error('analysis-worker is a worker thread, not a program');

port.on('message', ({ call, puts }: AnalysisRequest) => {
  const { count, bytes: written } = encodeRecords(puts.map((put: AnalysedPut) => analysed(put)));
  // Copied to a buffer of its own, because the written bytes may be part of a larger buffer.
  const bytes = new Uint8Array(written);
  port.postMessage({ call, records: { count, bytes } } satisfies AnalysisAnswer, [bytes.buffer]);
});
