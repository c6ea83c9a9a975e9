/**
 * The distributed installation against the embedded platform, in one run. Linux, Node 24, after `npm run build` (everything runs
 * from dist), about 12 minutes with the defaults; a real Kafka and S3 store, and the test servers for EventStoreDB and Qdrant (Node.js),
 * unless EVENTSTORE_URL, QDRANT_URL, KAFKA_BROKERS, S3_ENDPOINT name real ones:
 *
 *   npx node tools/bench/distributed.mjs [--only lag,search,throughput,catch-up] [--folder ../shared/data/documents] [--documents 400]
 *                                        [--lag 100] [--queries 60] [--chunks 20000] [--counts 1,2,4] [--rounds 2]
 *
 * lag         one document of about 1 kB, from handing in until it is found: both platforms in turn
 * search      2,000 chunks: embedded, one and two query replicas behind the gateway, one without it, in turn
 * throughput  real text documents through 1, 2 and 4 ingestion replicas, and embedded; then how large everything is
 * catch-up    a new query replica, from zero and from a snapshot, in turn
 *
 * Vectors come from a stand-in that costs next to nothing: what is measured is everything but the model. All processes share the
 * machine's cores, so the figures tell what the services cost more than how they scale. Ratios within one run count.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startServers } from '../distributed/servers.mjs';
import { folderDocuments, syntheticDocuments } from './lib/corpus.mjs';
import { catchUp } from './lib/distributed-catch-up.mjs';
import { documentToSearchable } from './lib/distributed-lag.mjs';
import { searches } from './lib/distributed-search.mjs';
import { startEmbedded, startServices } from './lib/distributed-setup.mjs';
import { embeddedThroughput, throughput } from './lib/distributed-throughput.mjs';
import { openEmbeddingStandIn } from './lib/embedding-stand-in.mjs';

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: 'lag,search,throughput,catch-up' },
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
const parts = new Set(options.only.split(','));
const load = () => loadavg()[0].toFixed(1);
const title = (text) => console.log(`\n== ${text}; load average ${load()}`);

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
  await services.stop();
  await embedded.stop();
};

const root = await mkdtemp(join(tmpdir(), 'palimpsest-bench-'));
console.log(`${new Date().toISOString()}, Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, load average ${load()}`);
const standIn = await openEmbeddingStandIn();
const { settings } = standIn;
const servers = await startServers(join(root, 'servers'));
try {
  if (parts.has('lag')) await lags(root, servers, settings);
  if (parts.has('search')) await searching(root, servers, settings);
  if (parts.has('throughput')) {
    const corpus = folderDocuments(options.folder, documents);
    title(`ingestion of ${corpus.length} documents of ${options.folder}, ${(corpus.reduce((sum, { text }) => sum + text.length, 0) / 1e6).toFixed(1)} million characters`);
    await embeddedThroughput(root, settings, corpus);
    await throughput(root, servers, settings, corpus, options.counts.split(',').map(Number));
  }
  if (parts.has('catch-up')) {
    title('a new query replica');
    await catchUp(root, servers, settings, chunks, rounds);
  }
} finally {
  await servers.stop();
  await standIn.close();
  await rm(root, { recursive: true, force: true });
}
console.log(`\nload average at the end ${load()}`);
