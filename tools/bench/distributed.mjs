/**
 * Compares the distributed installation with the embedded platform, in one run. Linux, Node 24, after `npm run build` (everything runs
 * from dist), about 12 minutes with the defaults. Uses a real Kafka and S3 store, and test servers for EventStoreDB and Qdrant (Node.js)
 * unless EVENTSTORE_URL, QDRANT_URL, KAFKA_BROKERS, S3_ENDPOINT name real ones:
 *
 *   npx node tools/bench/distributed.mjs [--only lag,search,throughput,slow-model,catch-up,memory] [--folder ../shared/data/documents] [--documents 400]
 *                                        [--lag 100] [--queries 60] [--chunks 20000] [--counts 1,2,4] [--rounds 2]
 *
 * lag         one document of about 1 kB, from the request until a search finds it: both platforms in turn
 * search      2,000 chunks: embedded, one and two query replicas behind the gateway, one without it, in turn
 * throughput  real text documents through 1, 2 and 4 ingestion replicas, and embedded; then the sizes of all stores
 * slow-model  documents of equal size, with a model that takes 30 ms a text on other cores
 * catch-up    a new query replica, from zero and from a snapshot, in turn
 * memory      memory of a replica per chunk and per API key, and the cost of counting in a large catalog
 *
 * A stand-in creates vectors at almost no cost: the figures show everything except the model. All processes share the
 * cores of the machine, so the figures show the overhead of the services rather than how they scale. Compare ratios within one run.
 */
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startServers } from '../distributed/servers.mjs';
import { folderDocuments, syntheticDocuments } from './lib/corpus.mjs';
import { catchUp } from './lib/distributed-catch-up.mjs';
import { documentToSearchable } from './lib/distributed-lag.mjs';
import { inMemory } from './lib/distributed-memory.mjs';
import { counting } from './lib/distributed-counts.mjs';
import { searches } from './lib/distributed-search.mjs';
import { startEmbedded, startServices } from './lib/distributed-setup.mjs';
import { sizes } from './lib/distributed-sizes.mjs';
import { embeddedThroughput, throughput } from './lib/distributed-throughput.mjs';
import { openSlowModel, perText } from './lib/distributed-slow-model.mjs';
import { openEmbeddingStandIn } from './lib/embedding-stand-in.mjs';

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: 'lag,search,throughput,slow-model,catch-up,memory' },
    folder: { type: 'string', default: '../shared/data/documents' },
    documents: { type: 'string', default: '400' },
    lag: { type: 'string', default: '100' },
    queries: { type: 'string', default: '60' },
    chunks: { type: 'string', default: '20000' },
    counts: { type: 'string', default: '1,2,4' },
    rounds: { type: 'string', default: '2' },
  },
});
const [documents, lag, queries, chunks, rounds] = ['documents', 'lag', 'queries', 'chunks', 'rounds'].map((name) => Number(options[name]));
const SERVED = ['lag', 'search', 'throughput', 'slow-model', 'catch-up'];
const parts = new Set(options.only.split(','));
const load = () => loadavg()[0].toFixed(1);
const title = (text) => console.log(`\n== ${text}; load average ${load()}`);

/** Approximate time of the built-in model for 250 tokens on one core. */
const MODEL_MS = 30;
const ROWS = 1_000_000;
const SEARCHED = { documents: 250, sections: 8 };

const lags = async (root, servers, settings) => {
  const embedded = await startEmbedded(join(root, 'lag-embedded'), settings);
  const services = await startServices(servers, join(root, 'lag'), settings, { ingestion: 1, query: 1 });
  title('document to searchable, 1 ingestion and 1 query replica');
  await documentToSearchable(embedded, services, servers, lag);
  await services.stop();
  await embedded.stop();
};

const searching = async (root, servers, settings) => {
  const embedded = await startEmbedded(join(root, 'search-embedded'), settings);
  const services = await startServices(servers, join(root, 'search'), settings, { ingestion: 1, query: 2 });
  const corpus = syntheticDocuments(SEARCHED.documents, { sections: SEARCHED.sections, seed: 2 });
  for (const { client } of [embedded, services]) {
    await client.submitAll(corpus);
    await client.settled(corpus.length);
  }
  title(`search, ${(await embedded.client.ask('GET', '/v1/status')).chunks} chunks, ${queries} queries each`);
  await searches(embedded, services, corpus, queries);
  await sizes(servers, services, join(root, 'search'));
  await services.stop();
  await embedded.stop();
};

const counts = options.counts.split(',').map(Number);

const ingesting = async (root, servers, settings) => {
  const corpus = folderDocuments(options.folder, documents);
  const characters = corpus.reduce((sum, { text }) => sum + text.length, 0) / 1e6;
  title(`ingestion of ${corpus.length} documents of ${options.folder}, ${characters.toFixed(1)} million characters, no model`);
  await embeddedThroughput(root, settings, corpus);
  await throughput(root, servers, settings, corpus, counts, { measureSizes: true });
};

const ingestingSlowly = async (root, servers, settings) => {
  const corpus = syntheticDocuments(Math.ceil(documents / 3), { sections: 8, seed: 6 });
  title(`ingestion of ${corpus.length} equal documents, a model that takes ${MODEL_MS} ms a text`);
  const model = await openSlowModel(settings, perText(MODEL_MS));
  await throughput(root, servers, model.settings, corpus, counts);
  await model.close();
};

const root = await mkdtemp(join(tmpdir(), 'palimpsest-bench-'));
// Child processes end with this process, also when it is stopped early.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
process.once('exit', () => rmSync(root, { recursive: true, force: true }));
console.log(`${new Date().toISOString()}, Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, load average ${load()}`);
const standIn = await openEmbeddingStandIn();
const { settings } = standIn;
if (parts.has('memory')) {
  title('in memory');
  await inMemory(chunks);
  await counting(ROWS);
}
const servers = SERVED.some((part) => parts.has(part)) ? await startServers(join(root, 'servers')) : undefined;
try {
  if (parts.has('lag')) await lags(root, servers, settings);
  if (parts.has('search')) await searching(root, servers, settings);
  if (parts.has('throughput')) await ingesting(root, servers, settings);
  if (parts.has('slow-model')) await ingestingSlowly(root, servers, settings);
  if (parts.has('catch-up')) {
    title('a new query replica');
    await catchUp(root, servers, settings, chunks, rounds);
  }
} finally {
  await servers?.stop();
  await standIn.close();
}
console.log(`\nload average at the end ${load()}`);
