import type { Hit, PalimpsestClient } from '@palimpsest/client';
import type { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { eventually } from '@palimpsest/test-kit/eventually';
import { PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { submitText, uploadFiles } from '@palimpsest/e2e-support/submit';

/** The model that indexes the scope first, and the one that a re-embedding switches it to. */
export const [FIRST_MODEL, SECOND_MODEL] = ['stand-in', 'stand-in-2'];
export const SCOPE = 'team:zoo';
/** Embeddings of texts with this word fail while the folder is recorded: the document is accepted, but not indexed. */
export const UNINDEXED = 'platypus';

const PROSE = [
  'Otters swim in the river and eat fish.',
  'Herons stand in the shallow water.',
  'Beavers build dams of wood.',
  'Kingfishers dive from branches.',
];
const QUERIES = ['otters in the river', 'who builds dams', 'badger worms', 'a quiet evening in March'];

const STRATEGIES = ['DenseSparseHybrid', 'DenseOnly', 'SparseOnly'] as const;
/** The strategy of one of the lists of hits that `seen` returns. */
export const ranking = (list: number) => STRATEGIES[Math.floor(list / QUERIES.length)];

/** Everything that a version change must not alter, as callers of one tenant see it. */
export const seen = async (client: PalimpsestClient) => {
  const { documents } = await client.documents.list({ limit: 100 });
  const indexed = documents
    .filter(({ status }) => status !== 'pending' && status !== 'processing')
    .sort((a, b) => (a.documentId < b.documentId ? -1 : 1));
  const hits = [];
  for (const strategy of STRATEGIES) for (const query of QUERIES) hits.push((await client.search({ query, strategy, topK: 20 })).hits);
  const details = await Promise.all(indexed.map(({ documentId }) => client.documents.get(documentId)));
  const chunks = await Promise.all(
    indexed.map(async ({ documentId }) => (await client.documents.chunks(documentId, { limit: 100 })).chunks),
  );
  const knowledgeBases = (await client.knowledgeBases.list()).map(({ documents: _documents, ...base }) => base);
  // As the response is after JSON: without the fields that are undefined.
  return JSON.parse(JSON.stringify({ details, chunks, hits, knowledgeBases })) as Readonly<{
    details: readonly { documentId: string; sourceId: string; version: number }[];
    chunks: readonly unknown[];
    hits: readonly (readonly Hit[])[];
    knowledgeBases: unknown;
  }>;
};

/**
 * Uses what an installation can do: knowledge bases with settings, versions, labels, a failed and a deleted document, a table, two tenants,
 * limits, keys, searches, a re-embedding with its switch, and, at last, a document that is accepted and not indexed. Stops the platform.
 * @returns what its callers saw
 */
export const recordDataFolder = async (data: string, standIn: EmbeddingStandIn) => {
  let platform = await PlatformUnderTest.start(data, standIn.settings(FIRST_MODEL));
  let { client } = platform;
  await client.knowledgeBases.create({
    id: 'animals',
    scope: SCOPE,
    name: 'Animals',
    description: 'What swims and dives',
    chunking: { markdown: { maxChars: 300 } },
  });
  await submitText(client, { knowledgeBase: 'animals', sourceId: 'old.md', text: 'An older text about nothing.' });
  await submitText(client, {
    knowledgeBase: 'animals',
    sourceId: 'old.md',
    text: PROSE.map((line, i) => `## ${i}\n\n${line} ${line}`).join('\n\n'),
    labels: { kind: 'river' },
    origin: 'Narrative',
  });
  for (const [i, line] of PROSE.entries())
    await submitText(client, { knowledgeBase: 'animals', sourceId: `${i}.md`, text: line, title: `Text ${i}` });
  await uploadFiles(client, [{ name: 'table.csv', content: Buffer.from('animal,food\nbadger,worms\nfox,mice\n') }], {
    knowledgeBase: 'animals',
  });
  await uploadFiles(client, [{ name: 'broken.pdf', content: Buffer.from('%PDF-1.4\nnothing') }], { knowledgeBase: 'animals' });
  const gone = await submitText(client, { knowledgeBase: 'animals', sourceId: 'gone.md', text: 'Walruses rest on the ice.' });
  await client.documents.remove(gone.documentId);
  await platform.stop();

  platform = await PlatformUnderTest.start(data, standIn.settings(SECOND_MODEL));
  ({ client } = platform);
  await client.operations.reembed(SCOPE);
  await eventually(
    'the scope uses the new model',
    async () => ((await client.operations.reembedProgress(SCOPE)).state === 'idle' ? true : undefined),
    60_000,
  );
  await submitText(client, { sourceId: 'notes.md', text: 'The default knowledge base has one note about otters.' });
  await client.tenants.setLimits('other', { overrides: { quotas: { documents: 3 } } });
  const { key } = await client.operations.createApiKey({ name: 'other', tenant: 'other', teams: ['*'], roles: ['admin'] });
  await submitText(platform.as(key), { sourceId: 'notes.md', text: 'The other tenant writes about otters, too.' });
  const { keyId } = await client.operations.createApiKey({ name: 'revoked', teams: [], roles: ['reader'] });
  await client.operations.revokeApiKey(keyId);
  const expected = { own: await seen(client), other: { key, ...(await seen(platform.as(key))) } };

  standIn.refusal = { when: (text) => text.includes(UNINDEXED), status: 503 };
  await client.documents.submitText({ knowledgeBase: 'animals', sourceId: 'later.md', text: `The ${UNINDEXED} lays eggs.` });
  await platform.stop();
  standIn.refusal = undefined;
  return expected;
};
