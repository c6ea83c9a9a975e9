import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openBm25Index } from '@palimpsest/adapters-bm25';
import { authorise } from '@palimpsest/knowledge/access';
import { DEFAULT_TENANT, DEPLOYMENT, chunkId, generationId, position } from '@palimpsest/knowledge/values';
import { InMemoryScopeKeys } from '../../libs/test-kit/src/in-memory/in-memory-scope-keys.ts';

/** Candidates of each search, as for a search with the default `topK` of ten. */
const POOL = 100;

/** Gives `use` a search for the best 100 of these passages ({id, text}, English) as the BM25 index of the platform ranks them. */
export const searchingByWords = async (passages, use) => {
  const root = await mkdtemp(join(tmpdir(), 'search-by-words-'));
  const index = await openBm25Index({ root, keys: new InMemoryScopeKeys() });
  const generation = generationId('g1');
  const idOf = (id) => chunkId(createHash('sha256').update(id).digest('hex').slice(0, 32));
  const named = new Map(passages.map((passage) => [idOf(passage.id), passage]));
  const puts = passages.map(({ id, text }) => ({ write: 'put', chunkId: idOf(id), text, language: 'en', attributes: {} }));
  try {
    await index.apply({ scope: { tenant: DEFAULT_TENANT, scope: DEPLOYMENT }, generation }, puts, position(1n));
    const [scope] = authorise({ tenant: DEFAULT_TENANT, teams: [], roles: ['reader'], actor: 'eval' }, [DEPLOYMENT]);
    return await use(async (text) =>
      (await index.search({ scope, generation }, text, { k: POOL })).map(({ chunkId: id, score }) => ({ ...named.get(id), score })),
    );
  } finally {
    await index.close();
    await rm(root, { recursive: true });
  }
};
