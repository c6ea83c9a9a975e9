import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { syntheticDocuments } from './corpus.mjs';
import { startEmbedded, startServices } from './distributed-setup.mjs';
import { sizes } from './distributed-sizes.mjs';
import { timed } from './figures.mjs';
import { cpuMs } from './processes.mjs';

/** Real documents through 1, 2 and 4 ingestion replicas, each in a new installation on the same servers, until all are searchable. */

const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;

/** Ensures that every replica has its partitions and running parsers: the cost of a start is measured elsewhere. */
const WARM_UP = 24;
const SETTLE_MS = 4_000;

const ingest = async (client, documents, cpu) => {
  await client.submitAll(syntheticDocuments(WARM_UP, { sections: 1, seed: 77 }));
  const { chunks: others } = await client.settled(WARM_UP);
  await sleep(SETTLE_MS);
  const before = cpu();
  const { result: status, ms } = await timed(async () => {
    await client.submitAll(documents);
    return client.settled(WARM_UP + documents.length);
  });
  const { indexed, failed } = status.documents;
  const spent = Object.entries(cpu()).map(([name, cpuMs]) => [name, cpuMs - before[name]]);
  return { ms, spent, chunks: status.chunks - others, indexed: indexed - WARM_UP, failed };
};

const line = (name, { ms, spent, chunks, indexed, failed }, base) => {
  const rate = (1000 * (indexed + failed)) / ms;
  const ratio = base ? `; ${(base.ms / ms).toFixed(2)} × the first` : '';
  const cpu = spent.map(([of, cpuMs]) => `${of} ${seconds(cpuMs)}, ${(cpuMs / chunks).toFixed(2)} ms a chunk`).join('; ');
  console.log(
    `  ${name.padEnd(22)} ${seconds(ms)}, ${rate.toFixed(1)} documents/s, ${((1000 * chunks) / ms).toFixed(0)} chunks/s${ratio} (${indexed} indexed, ${failed} failed, ${chunks} chunks)`,
  );
  console.log(`${' '.repeat(25)}CPU: ${cpu}`);
};

/** A run on the embedded platform, for comparison. */
export const embeddedThroughput = async (root, settings, documents) => {
  const folder = join(root, 'throughput-embedded');
  const platform = await startEmbedded(folder, settings);
  const result = await ingest(platform.client, documents, () => ({ platform: platform.cpuMs() }));
  await platform.stop();
  await rm(folder, { recursive: true, force: true });
  line('embedded', result);
  return result;
};

export const throughput = async (root, servers, settings, documents, counts, { measureSizes = false } = {}) => {
  const parts = Object.entries({ kafka: servers.kafka, eventStore: servers.eventStore, qdrant: servers.qdrant, s3: servers.s3 });
  let first;
  for (const count of counts) {
    const folder = join(root, `throughput-${count}-${Date.now()}`);
    const services = await startServices(servers, folder, settings, { ingestion: count, query: 1 });
    const cpuOf = (wanted) => services.slots.reduce((sum, { service, child }) => sum + (service === wanted ? cpuMs(child.pid) : 0), 0);
    const before = parts.map(([, { child }]) => (child ? cpuMs(child.pid) : 0));
    const result = await ingest(services.client, documents, () => ({ ingestion: cpuOf('ingestion'), query: cpuOf('query') }));
    line(`${count} ingestion replica${count > 1 ? 's' : ''}`, result, first);
    const ofServers = parts.map(([name, { child }], i) => `${name} ${seconds(child ? cpuMs(child.pid) - before[i] : 0)}`);
    console.log(`${' '.repeat(25)}CPU of the servers: ${ofServers.join(', ')}`);
    if (!first && measureSizes) await sizes(servers, services, folder);
    first ??= result;
    await services.stop();
    await rm(folder, { recursive: true, force: true });
  }
};
