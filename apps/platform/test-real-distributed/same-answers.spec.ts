import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Hit, Strategy, VerifyResult } from '@palimpsest/client';
import { startInstallation, type Installation } from '../../../tools/distributed/installation.mjs';
import { startServers, type Servers } from '../../../tools/distributed/servers.mjs';
import { aDataFolder, PlatformUnderTest } from '../test/platform-under-test.ts';
import { palimpsest, type Ran } from '../test-real/command-line.ts';
import { figure, rounded } from '../test-real/figures.ts';
import { answers, QUESTIONS } from '../test-real/questions.ts';
import { realData } from '../test-real/real-data.ts';
import { RealEmbeddings } from './real-embeddings.ts';

type Summary = Readonly<{ files: number; indexed: number; failed: number; chunks: number; failures: readonly unknown[] }>;

const STRATEGIES = ['DenseSparseHybrid', 'DenseOnly', 'SparseOnly'] as const satisfies readonly Strategy[];
const documents = realData('documents');

/**
 * What of a hit has to be the same. Qdrant adds up in another order, so scores differ behind their sixth digit; what is found, and
 * in which order, does not. Each platform indexes at its own time.
 */
const comparable = (hits: unknown): unknown =>
  JSON.parse(JSON.stringify(hits, (name, inner: unknown) => (name === 'indexedAt' ? undefined : typeof inner === 'number' ? Number(inner.toFixed(5)) : inner)));

/** What `npm run distributed` starts, two replicas of ingestion and of query, beside the embedded platform: same files, same questions. */
describe('the real documents, embedded and distributed', () => {
  let embeddings: RealEmbeddings;
  let embedded: PlatformUnderTest;
  let servers: Servers;
  let installation: Installation;
  let folder: string;
  let ingested: readonly [embedded: Ran<Summary>, distributed: Ran<Summary>];

  beforeAll(async () => {
    embeddings = await RealEmbeddings.open();
    embedded = await PlatformUnderTest.start(await aDataFolder(), embeddings.settings());
    folder = await aDataFolder();
    servers = await startServers(join(folder, 'servers'));
    installation = await startInstallation({ servers, folder, settings: embeddings.settings(), replicas: { ingestion: 2, reembedding: 1, query: 2 } });
    // Where the command line looks for the server of this machine.
    await mkdir(join(folder, 'keys'), { recursive: true });
    await writeFile(join(folder, 'keys', 'local-api-key'), installation.key);
    await writeFile(join(folder, 'server.json'), JSON.stringify({ url: installation.url }));
    ingested = await Promise.all([palimpsest<Summary>(embedded.data, 'ingest', documents), palimpsest<Summary>(folder, 'ingest', documents)]);
    figure('ingested at the same time', `embedded ${rounded(ingested[0].seconds)}, distributed ${rounded(ingested[1].seconds)}`);
  });
  afterAll(async () => {
    await installation.stop();
    await servers.stop();
    await embeddings.close();
  });

  it('are taken alike, the unreadable ones told alike', () => {
    const [one, other] = ingested.map(({ answer: { files, indexed, failed, chunks, failures } }) => ({ files, indexed, failed, chunks, failures }));
    expect(one?.indexed).toBeGreaterThanOrEqual(540);
    expect(other).toEqual(one);
  });

  it('lie in the read models of every replica as in those of the one process', async () => {
    const { answer: expected } = await palimpsest<VerifyResult>(embedded.data, 'verify');
    expect(expected.clean).toBe(true);
    for (const url of installation.replicasOf('query')) {
      const answer = await fetch(`${url}/v1/admin/verify`, { method: 'POST', headers: { authorization: `Bearer ${installation.key}` } });
      expect(await answer.json()).toMatchObject({ clean: true, differences: [], partitions: expected.partitions });
    }
  });

  it.each(QUESTIONS)('answer with the same hits: $question', async (question) => {
    for (const strategy of STRATEGIES) {
      const request = { query: question.question, strategy, topK: 10, explain: true };
      const { hits } = await embedded.client.search(request);
      for (const url of installation.replicasOf('query')) {
        const asked = await fetch(`${url}/v1/search`, {
          method: 'POST',
          headers: { authorization: `Bearer ${installation.key}`, 'content-type': 'application/json' },
          body: JSON.stringify(request),
        });
        expect(comparable(((await asked.json()) as { hits: readonly Hit[] }).hits)).toEqual(comparable(hits));
      }
      if (strategy === 'DenseSparseHybrid') expect(hits.slice(0, 3).some((hit) => answers(hit, question))).toBe(true);
    }
  });
});
