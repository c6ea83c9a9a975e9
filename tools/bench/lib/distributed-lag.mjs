import { setTimeout as sleep } from 'node:timers/promises';
import { syntheticDocuments } from './corpus.mjs';
import { openLogOf } from './distributed-setup.mjs';
import { p50p95, quantile } from './figures.mjs';

/** From the submission of one document of about 1 kB to the first search that finds it, on both platforms in turn. */

const POLL_MS = 5;
const WARM_UP = 10;

const isFound = async (client, word) => {
  const { hits } = await client.ask('POST', '/v1/search', { query: word, strategy: 'SparseOnly' });
  return hits.some(({ text }) => text.includes(word));
};

const lagOf = async (client, word, text) => {
  const began = performance.now();
  const { documentId } = await client.submit({ name: `lag/${word}`, text: `${text}\n${word}\n` });
  const accepted = performance.now() - began;
  for (; !(await isFound(client, word));) await sleep(POLL_MS);
  return { documentId, began: performance.timeOrigin + began, accepted, searchable: performance.now() - began };
};

/** When each kind of event of a document was recorded, in ms after its submission; both clocks are this machine's. */
const recordedAfter = async (log, samples) => {
  const byDocument = new Map(samples.map((sample) => [sample.documentId, sample]));
  const after = {};
  for await (const { type, data, recordedAt } of log.readAll()) {
    const sample = byDocument.get(data.documentId);
    if (sample) (after[type] ??= []).push(Date.parse(recordedAt) - sample.began);
  }
  return after;
};

export const documentToSearchable = async (embedded, services, servers, count) => {
  const samples = { embedded: [], distributed: [] };
  const clients = { embedded: embedded.client, distributed: services.client };
  for (const [i, { text }] of syntheticDocuments(count + WARM_UP, { sections: 1, seed: 99 }).entries()) {
    const order = Object.keys(samples);
    for (const side of i % 2 === 0 ? order : order.reverse()) {
      const sample = await lagOf(clients[side], `lagword${i}x${process.pid}`, text);
      if (i >= WARM_UP) samples[side].push(sample);
    }
  }
  const of = (side, what) => samples[side].map((sample) => sample[what]);
  for (const side of Object.keys(samples))
    console.log(`  ${side.padEnd(12)} searchable after ${p50p95(of(side, 'searchable'))}; accepted after ${p50p95(of(side, 'accepted'))}`);
  const ratio = (what, q) => (quantile(of('distributed', what), q) / quantile(of('embedded', what), q)).toFixed(2);
  console.log(
    `  distributed / embedded: searchable ${ratio('searchable', 0.5)} at p50, ${ratio('searchable', 0.95)} at p95 (${count} documents on each, in turn)`,
  );
  const log = await openLogOf(servers, services);
  const stages = Object.entries(await recordedAfter(log, samples.distributed)).map(([type, ms]) => `${type} ${p50p95(ms)}`);
  await log.close();
  console.log(`  distributed, recorded after: ${stages.join('; ')}`);
};
