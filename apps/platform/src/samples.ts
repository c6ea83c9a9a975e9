import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Journal } from '@palimpsest/contracts';
import { chunkingSettings, type KnowledgeBases, type SubmitDocument } from '@palimpsest/ingestion';
import { DEFAULT_TENANT, DEPLOYMENT, knowledgeBaseId, knowledgeBaseStream, QuotaExceeded, sourceId } from '@palimpsest/knowledge';
import type { Access } from '@palimpsest/knowledge';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const KNOWLEDGE_BASE = knowledgeBaseId('palimpsest-docs');
const PLATFORM: Access = { tenant: DEFAULT_TENANT, teams: [], roles: ['writer'], actor: 'platform' };

/** Our own documentation, so that the first query finds something. Only when its knowledge base was never made. Answers how many. */
export const loadSamples = async (knowledgeBases: KnowledgeBases, submit: SubmitDocument, journal: Journal): Promise<number> => {
  for await (const _ of journal.log.readStream(knowledgeBaseStream(DEFAULT_TENANT, KNOWLEDGE_BASE), { limit: 1 })) return 0;
  // Read before the knowledge base is made: what fails half-way is tried again at the next start.
  const files = await Promise.all((await sampleFiles()).map(async (file) => ({ file, bytes: await readFile(`${ROOT}${file}`) })));
  const settings = { name: 'Palimpsest', description: 'The documentation of this program', chunking: chunkingSettings() };
  let loaded = 0;
  try {
    // Nobody's requests: within the tenant's quotas, but not its rates.
    await knowledgeBases.make(PLATFORM, { id: KNOWLEDGE_BASE, scope: DEPLOYMENT, settings }, 'samples');
    for (const { file, bytes } of files) {
      await submit.runAdmitted(
        PLATFORM,
        {
          knowledgeBase: KNOWLEDGE_BASE, sourceId: sourceId(file), bytes, fileName: file.split('/').at(-1) ?? file,
          mediaType: 'text/markdown', labels: { sample: 'true' }, origin: 'UserContent',
        },
        'samples',
      );
      loaded++;
    }
  } catch (error) {
    // An operator who limits this tenant to fewer gets fewer.
    if (!(error instanceof QuotaExceeded)) throw error;
  }
  return loaded;
};

const sampleFiles = async (): Promise<string[]> => {
  const docs = await readdir(`${ROOT}docs`, { recursive: true });
  const markdown = docs.filter((name) => name.endsWith('.md')).map((name) => `docs/${name.replaceAll('\\', '/')}`);
  // Not the README: it quotes the first query, and would answer it with itself.
  return ['CONTRIBUTING.md', 'SECURITY.md', ...markdown.sort()];
};
