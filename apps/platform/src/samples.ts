import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Journal } from '@palimpsest/contracts';
import { chunkingSettings, CreateKnowledgeBase, SubmitDocuments } from '@palimpsest/ingestion';
import { knowledgeBaseStream } from '@palimpsest/knowledge/deciders';
import { QuotaExceeded } from '@palimpsest/knowledge/errors';
import { DEFAULT_TENANT, DEPLOYMENT, knowledgeBaseId, sourceId } from '@palimpsest/knowledge/values';
import type { Caller } from '@palimpsest/knowledge/messages';
import type { Buses } from '@palimpsest/runtime';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const KNOWLEDGE_BASE = knowledgeBaseId('palimpsest-docs');
/** Quotas of the tenant apply, rate limits do not: no caller sent these requests. */
const PLATFORM: Caller = {
  access: { tenant: DEFAULT_TENANT, teams: [], roles: ['writer'], actor: 'platform' },
  correlationId: 'samples',
  internal: true,
};

/** Loads our own documentation, so that the first query has results, unless it was ever loaded before. Returns the number of files. */
export const loadSamples = async (buses: Buses, journal: Journal): Promise<number> => {
  for await (const _ of journal.log.readStream(knowledgeBaseStream(DEFAULT_TENANT, KNOWLEDGE_BASE), { limit: 1 })) return 0;
  // Read before the knowledge base is created, so that a failure to read is retried at the next start.
  const files = await Promise.all((await sampleFiles()).map(async (file) => ({ file, bytes: await readFile(`${ROOT}${file}`) })));
  const settings = { name: 'Palimpsest', description: 'The documentation of this program', chunking: chunkingSettings() };
  let loaded = 0;
  try {
    await buses.execute(new CreateKnowledgeBase(PLATFORM, { id: KNOWLEDGE_BASE, scope: DEPLOYMENT, settings }));
    for (const { file, bytes } of files) {
      const document = {
        knowledgeBase: KNOWLEDGE_BASE,
        sourceId: sourceId(file),
        bytes,
        fileName: file.split('/').at(-1) ?? file,
        mediaType: 'text/markdown',
        labels: { sample: 'true' },
        origin: 'UserContent',
      } as const;
      await buses.execute(new SubmitDocuments(PLATFORM, { documents: [{ name: file, document: () => document }] }));
      loaded++;
    }
  } catch (error) {
    // If an operator limited this tenant to fewer documents, fewer are loaded.
    if (!(error instanceof QuotaExceeded)) throw error;
  }
  return loaded;
};

const sampleFiles = async (): Promise<string[]> => {
  const docs = await readdir(`${ROOT}docs`, { recursive: true });
  const markdown = docs.filter((name) => name.endsWith('.md')).map((name) => `docs/${name.replaceAll('\\', '/')}`);
  // Without the README: it quotes the first query and would be its best result.
  return ['CONTRIBUTING.md', 'SECURITY.md', ...markdown.sort()];
};
