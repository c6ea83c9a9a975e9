import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openS3BlobStore } from '@palimpsest/adapters-s3';
import { blobKey } from '@palimpsest/knowledge/ports';
import { syntheticDocuments } from './corpus.mjs';
import { openLogOf, startServices, untilReady } from './distributed-setup.mjs';
import { sizes } from './distributed-sizes.mjs';
import { median, timed } from './figures.mjs';
import { cpuMs, residentBytes } from './processes.mjs';

/** Starts a new query replica with an empty folder: from the beginning of the log, and from a snapshot, in turn. */

/** Long documents fill a log faster: the results are per chunk and per event. */
const SECTIONS = 40;
const FILL_MS = 240_000;
const LATEST = blobKey('snapshots/latest');

const blobsOf = ({ s3 }, { namespace }) =>
  openS3BlobStore({
    endpoint: s3.address,
    region: s3.lines.region,
    bucket: s3.lines.bucket,
    prefix: namespace,
    accessKeyId: s3.lines['access-key'],
    secretAccessKey: s3.lines['secret-key'],
  });

/** Submits documents until there are `chunks`, or the time is up. */
const fill = async (client, chunks) => {
  const documents = syntheticDocuments(Math.ceil(chunks / SECTIONS), { sections: SECTIONS, seed: 5 });
  const began = performance.now();
  const PART = 50;
  let given = 0;
  let status;
  while (given < documents.length && performance.now() - began < FILL_MS) {
    const part = documents.slice(given, given + PART);
    await client.submitAll(part);
    given += part.length;
    status = await client.settled(given);
  }
  console.log(
    `  filled with ${status.chunks} chunks in ${((performance.now() - began) / 1000).toFixed(0)} s (${given} of ${documents.length} documents of ${SECTIONS} sections)`,
  );
  return status.chunks;
};

const eventsOn = async (servers, services) => {
  const log = await openLogOf(servers, services);
  let events = 0;
  for await (const _ of log.readAll()) events++;
  await log.close();
  return events;
};

const untilSnapshot = async (servers, services) => {
  const blobs = await blobsOf(servers, services);
  const { ms } = await timed(async () => {
    while ((await blobs.get(LATEST)) === undefined) await sleep(500);
  });
  await blobs.close();
  console.log(`  a snapshot existed after ${(ms / 1000).toFixed(0)} s (the first is due after a minute)`);
};

const newReplica = async (services, folder, replica) => {
  const slot = { service: 'query', replica, child: undefined };
  const began = performance.now();
  const child = await services.start(slot);
  await untilReady(child.address);
  const sample = { ms: performance.now() - began, cpuMs: cpuMs(child.pid), resident: residentBytes(child.pid).own };
  await child.stop();
  await rm(join(folder, `query-${replica}`), { recursive: true, force: true });
  return sample;
};

const say = (name, samples, events, base) => {
  const of = (key) => median(samples.map((sample) => sample[key]));
  const gain = (of('ms') - base) / 1000;
  const rate = events === undefined ? '' : `, ${(events / gain).toFixed(0)} events/s after subtracting the start with an empty log`;
  console.log(
    `  ${name.padEnd(16)} ready after ${samples.map(({ ms }) => (ms / 1000).toFixed(1)).join(', ')} s, ${(of('cpuMs') / 1000).toFixed(1)} s CPU, ${(of('resident') / 2 ** 20).toFixed(0)} MiB resident${rate}`,
  );
  return of('ms');
};

export const catchUp = async (root, servers, settings, chunks, rounds) => {
  const emptyFolder = join(root, 'catch-up-empty');
  const empty = await startServices(servers, emptyFolder, settings, { query: 1 });
  const starts = [];
  for (let round = 0; round < rounds; round++) starts.push(await newReplica(empty, emptyFolder, 10 + round));
  await empty.stop();

  const folder = join(root, 'catch-up');
  let services = await startServices(servers, folder, { ...settings, PALIMPSEST_SNAPSHOT_MINUTES: '0' }, { ingestion: 1, query: 1 });
  await fill(services.client, chunks);
  const events = await eventsOn(servers, services);
  await sizes(servers, services, folder);
  await services.stop();
  services = await startServices(servers, folder, { ...settings, PALIMPSEST_SNAPSHOT_MINUTES: '1' }, { query: 1 });
  await untilSnapshot(servers, services);
  await services.stop();
  services = await startServices(servers, folder, { ...settings, PALIMPSEST_SNAPSHOT_MINUTES: '0' }, { query: 1 });
  const blobs = await blobsOf(servers, services);
  const latest = await blobs.get(LATEST);
  const samples = { zero: [], snapshot: [] };
  for (let round = 0; round < rounds; round++)
    for (const way of round % 2 === 0 ? ['zero', 'snapshot'] : ['snapshot', 'zero']) {
      if (way === 'zero') await blobs.delete(LATEST);
      else await blobs.put(LATEST, latest);
      samples[way].push(await newReplica(services, folder, 10 + samples.zero.length + samples.snapshot.length));
    }
  await blobs.close();
  await services.stop();
  console.log(`  ${events} events on the log`);
  const base = say('empty log', starts);
  const zero = say('from zero', samples.zero, events, base);
  const snapshot = say('from a snapshot', samples.snapshot, events, base);
  console.log(`  snapshot / zero: ${(snapshot / zero).toFixed(2)} of the time`);
  await rm(folder, { recursive: true, force: true });
};
