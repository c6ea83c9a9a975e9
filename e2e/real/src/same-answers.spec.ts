import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Hit, Strategy, VerifyResult } from '@palimpsest/client';
import { startInstallation, type Installation } from '../../../tools/distributed/installation.mjs';
import { startServers, type Servers } from '../../../tools/distributed/servers.mjs';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { palimpsest, type Ran } from './command-line.ts';
import { figure, rounded } from '@palimpsest/e2e-support/figures';
import { answers, QUESTIONS } from './questions.ts';
import { realData } from '@palimpsest/e2e-support/real-data';
import { RealEmbeddings } from './real-embeddings.ts';

type Summary = Readonly<{ files: number; indexed: number; failed: number; chunks: number; failures: readonly unknown[] }>;

const STRATEGIES = ['DenseSparseHybrid', 'DenseOnly', 'SparseOnly'] as const satisfies readonly Strategy[];
const documents = realData('documents');

/**
 * The parts of a result that must be equal. Qdrant sums in another order, so scores differ after the sixth digit; the results and their
 * order do not. The time of indexing differs as well.
 */
const comparable = (hits: unknown): unknown =>
  JSON.parse(
    JSON.stringify(hits, (name, inner: unknown) =>
      name === 'indexedAt' ? undefined : typeof inner === 'number' ? Number(inner.toFixed(5)) : inner,
    ),
  );

/** Compares the installation of `npm run distributed`, with two replicas of ingestion and query, to the embedded platform. */
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
    installation = await startInstallation({
      servers,
      folder,
      settings: embeddings.settings(),
      replicas: { ingestion: 2, reembedding: 1, query: 2 },
    });
    // The command line finds the server of this machine through these files.
    await mkdir(join(folder, 'keys'), { recursive: true });
    await writeFile(join(folder, 'keys', 'local-api-key'), installation.key);
    await writeFile(join(folder, 'server.json'), JSON.stringify({ url: installation.url }));
    ingested = await Promise.all([
      palimpsest<Summary>(embedded.data, 'ingest', documents),
      palimpsest<Summary>(folder, 'ingest', documents),
    ]);
    figure('ingested at the same time', `embedded ${rounded(ingested[0].seconds)}, distributed ${rounded(ingested[1].seconds)}`);
  });
  afterAll(async () => {
    await installation.stop();
    await servers.stop();
    await embeddings.close();
  });

  it('have the same counts and the same failures', () => {
    const [one, other] = ingested.map(({ answer: { files, indexed, failed, chunks, failures } }) => ({
      files,
      indexed,
      failed,
      chunks,
      failures,
    }));
    expect(one?.indexed).toBeGreaterThanOrEqual(540);
    expect(other).toEqual(one);
  });

  it('have the same fingerprints in every query replica as in the embedded platform', async () => {
    const { answer: expected } = await palimpsest<VerifyResult>(embedded.data, 'verify');
    expect(expected.clean).toBe(true);
    for (const url of installation.replicasOf('query')) {
      const answer = await fetch(`${url}/v1/admin/verify`, { method: 'POST', headers: { authorization: `Bearer ${installation.key}` } });
      expect(await answer.json()).toMatchObject({ clean: true, differences: [], partitions: expected.partitions });
    }
  });

  it.each(QUESTIONS)('lead to the same results: $question', async (question) => {
    for (const strategy of STRATEGIES) {
      const request = { query: question.question, strategy, topK: 10, explain: true };
      const { hits } = await embedded.client.search(request);
      for (const url of installation.replicasOf('query')) {
        const response = await fetch(`${url}/v1/search`, {
          method: 'POST',
          headers: { authorization: `Bearer ${installation.key}`, 'content-type': 'application/json' },
          body: JSON.stringify(request),
        });
        expect(comparable(((await response.json()) as { hits: readonly Hit[] }).hits)).toEqual(comparable(hits));
      }
      if (strategy === 'DenseSparseHybrid') expect(hits.slice(0, 3).some((hit) => answers(hit, question))).toBe(true);
    }
  });
});
