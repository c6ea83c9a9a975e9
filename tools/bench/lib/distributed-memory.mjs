import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { openBm25Index } from '@palimpsest/adapters-bm25';
import { authorise } from '@palimpsest/knowledge/access';
import { chunkId, DEFAULT_TENANT, DEPLOYMENT, generationId, position, START, tenantId } from '@palimpsest/knowledge/values';
import { ApiKeys } from '@palimpsest/tenancy';
import { syntheticDocuments } from './corpus.mjs';
import { InMemoryScopeKeys } from '../../../libs/test-kit/src/in-memory/in-memory-scope-keys.ts';

const keys = new InMemoryScopeKeys();

/** The memory of a replica per chunk (BM25) and per API key: the real classes, filled in this process. */

const KEYS = 100_000;
const BATCH = 1_000;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
/** Bytes in use after a garbage collection: JavaScript's heap and external memory, typed arrays and WebAssembly's memory. */
const used = () => {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

const keysInMemory = async () => {
  const factOf = (n) => ({
    event: {
      type: 'ApiKeyIssued',
      data: {
        keyId: randomUUID(),
        hash: randomBytes(32).toString('hex'),
        name: `key ${n}`,
        teams: ['*'],
        user: `user ${n}`,
        roles: ['reader'],
        issuedAt: new Date().toISOString(),
      },
    },
    metadata: { tenant: tenantId(`tenant-${n}`) },
  });
  const log = { head: async () => START };
  const journal = {
    log,
    async *follow({ signal }) {
      for (let at = 0; at < KEYS; at += BATCH) yield { facts: Array.from({ length: BATCH }, (_, i) => factOf(at + i)), upTo: START };
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    },
  };
  const keys = new ApiKeys(journal, () => new Date().toISOString());
  const before = used();
  await keys.start(START, (error) => console.error(error));
  while (keys.list(tenantId(`tenant-${KEYS - 1}`)).length === 0) await sleep(50);
  const bytes = used() - before;
  if (keys.list(tenantId('tenant-0')).length !== 1) throw new Error('keys are missing');
  await keys.stop();
  console.log(`  ${KEYS} API keys: ${(bytes / KEYS).toFixed(0)} bytes each`);
};

const wordsInMemory = async (chunks) => {
  const root = await mkdtemp(join(tmpdir(), 'palimpsest-bench-'));
  const index = await openBm25Index({ root, keys });
  const partition = { scope: { tenant: DEFAULT_TENANT, scope: DEPLOYMENT }, generation: generationId('g1') };
  const [scope] = authorise({ tenant: DEFAULT_TENANT, teams: [], roles: ['reader'], actor: 'bench' }, [DEPLOYMENT]);
  const before = used();
  for (let at = 0; at < chunks; at += BATCH) {
    const puts = syntheticDocuments(BATCH, { sections: 1, seed: at + 1 }).map(({ text }, i) => ({
      write: 'put',
      chunkId: chunkId((at + i).toString(16).padStart(32, '0')),
      text,
      language: 'en',
      attributes: { document: `d${Math.floor((at + i) / 10)}` },
    }));
    await index.apply(partition, puts, position(BigInt(at + 1)));
  }
  const written = used() - before;
  await index.search({ scope, generation: partition.generation }, 'great people house', { k: 10 });
  const searched = used() - before;
  console.log(
    `  BM25 of ${chunks} chunks of about 900 characters: ${(written / chunks).toFixed(0)} bytes each in memory, ${(searched / chunks).toFixed(0)} after a search`,
  );
  await index.close();
  await rm(root, { recursive: true, force: true });
};

export const inMemory = async (chunks) => {
  await keysInMemory();
  await wordsInMemory(chunks);
};
