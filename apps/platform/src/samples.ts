import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Journal } from '@palimpsest/contracts';
import { chunkingSettings, type KnowledgeBases, type SubmitDocument } from '@palimpsest/ingestion';
import { knowledgeBaseStream } from '@palimpsest/knowledge/deciders';
import { QuotaExceeded } from '@palimpsest/knowledge/errors';
import { DEFAULT_TENANT, DEPLOYMENT, knowledgeBaseId, sourceId } from '@palimpsest/knowledge/values';
import type { Access } from '@palimpsest/knowledge/access';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const KNOWLEDGE_BASE = knowledgeBaseId('palimpsest-docs');
const PLATFORM: Access = { tenant: DEFAULT_TENANT, teams: [], roles: ['writer'], actor: 'platform' };

/** Loads our own documentation, so that the first query has results, unless it was ever loaded before. Returns the number of files. */
export const loadSamples = async (knowledgeBases: KnowledgeBases, submit: SubmitDocument, journal: Journal): Promise<number> => {
  for await (const _ of journal.log.readStream(knowledgeBaseStream(DEFAULT_TENANT, KNOWLEDGE_BASE), { limit: 1 })) return 0;
  // Read before the knowledge base is created, so that a failure to read is retried at the next start.
  const files = await Promise.all((await sampleFiles()).map(async (file) => ({ file, bytes: await readFile(`${ROOT}${file}`) })));
  const settings = { name: 'Palimpsest', description: 'The documentation of this program', chunking: chunkingSettings() };
  let loaded = 0;
  try {
    // No caller sent these requests: quotas of the tenant apply, rate limits do not.
    await knowledgeBases.make(PLATFORM, { id: KNOWLEDGE_BASE, scope: DEPLOYMENT, settings }, 'samples');
    for (const { file, bytes } of files) {
      await submit.runAdmitted(
        PLATFORM,
        {
          knowledgeBase: KNOWLEDGE_BASE,
          sourceId: sourceId(file),
          bytes,
          fileName: file.split('/').at(-1) ?? file,
          mediaType: 'text/markdown',
          labels: { sample: 'true' },
          origin: 'UserContent',
        },
        'samples',
      );
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
