import { chunkingSettings } from '@palimpsest/contracts';
import { createHash } from 'node:crypto';
import { documentStream, knowledgeBaseStream } from '@palimpsest/knowledge/deciders';
import type { JsonObject, StreamName } from '@palimpsest/knowledge/ports';
import { knowledgeBaseId, sourceId } from '@palimpsest/knowledge/values';
import { SCOPE, World, WRITER } from '../test/world.ts';
import { plainChecksumOf, plainFingerprintOf } from './identities.ts';

const OLD = knowledgeBaseId('old');
const TEXT = '# Guide\n\nTurn the valve to the left.';
const plainId = (...parts: readonly string[]): string =>
  createHash('sha256')
    .update(JSON.stringify(['document', SCOPE.tenant, ...parts]))
    .digest('hex')
    .slice(0, 32);

/** A knowledge base with one indexed document, as version 0.1 recorded them: in the clear, with digests that need no key. */
const anOldWorld = async () => {
  const world = await new World().begin();
  const append = (stream: StreamName, ...events: readonly (readonly [string, JsonObject])[]) =>
    world.log.append(
      stream,
      events.map(([type, data], i) => ({
        id: `${stream}-${i}`,
        type,
        data,
        metadata: { ...SCOPE, actor: 'key:old', correlationId: 'r', schemaVersion: 1 },
      })),
      'no-stream',
    );
  const chunking = chunkingSettings();
  await append(knowledgeBaseStream(SCOPE.tenant, OLD), [
    'KnowledgeBaseCreated',
    {
      id: OLD,
      scope: SCOPE.scope,
      name: 'Old',
      description: '',
      chunking: { ...chunking },
      createdAt: '2026-01-01T00:00:00Z',
    } as JsonObject,
  ]);
  const documentId = plainId(OLD, 'guide.md');
  const checksum = plainChecksumOf(Buffer.from(TEXT));
  const fingerprint = plainFingerprintOf({ checksum, labels: {}, origin: 'UserContent', chunking });
  const common = {
    documentId,
    version: 1,
    knowledgeBase: OLD,
    sourceId: 'guide.md',
    checksum,
    fingerprint,
    labels: {},
    origin: 'UserContent',
  };
  await append(
    documentStream(SCOPE.tenant, documentId as never),
    [
      'DocumentSubmitted',
      { ...common, blob: `documents/${SCOPE.tenant}/${documentId}/${checksum}`, bytes: TEXT.length, submittedAt: '2026-01-01T00:00:00Z' },
    ],
    [
      'DocumentIndexed',
      {
        ...common,
        title: 'Guide',
        mediaType: 'text/markdown',
        language: 'en',
        chunkingVersion: 'markdown@1',
        metadata: {},
        chunks: [],
        written: [],
        removed: [],
        failedChunks: 0,
        warnings: [],
        indexedAt: '2026-01-01T00:00:00Z',
      },
    ],
  );
  return { world, documentId };
};

describe('The id of a document', () => {
  it('is the same for the same source, and says nothing without the key of the scope', async () => {
    const [one, other] = [await new World().begin(), await new World().begin()];
    const { documentId } = await one.submit(TEXT);
    expect((await one.submit(`${TEXT} Then wait.`)).documentId).toBe(documentId);
    expect((await other.submit(TEXT)).documentId).not.toBe(documentId);
    expect(documentId).not.toBe(plainId('handbook', 'guide.md'));
  });

  it('differs between sources and between knowledge bases', async () => {
    const world = await new World().begin();
    const b = knowledgeBaseId('b');
    await world.knowledgeBases.create(
      WRITER,
      { id: b, scope: SCOPE.scope, settings: { name: 'B', description: '', chunking: chunkingSettings() } },
      'r',
    );
    const ids = [
      await world.submit(TEXT),
      await world.submit(TEXT, { sourceId: sourceId('other.md') }),
      await world.submit(TEXT, { knowledgeBase: b }),
    ].map(({ documentId }) => documentId);
    expect(new Set(ids).size).toBe(3);
  });

  it('of an earlier version is kept, and its unchanged content is recognised', async () => {
    const { world, documentId } = await anOldWorld();
    expect(await world.submit(TEXT, { knowledgeBase: OLD })).toMatchObject({ documentId, version: 1, status: 'skipped' });
    expect(await world.submit(`${TEXT} Then wait.`, { knowledgeBase: OLD })).toMatchObject({ documentId, version: 2, status: 'accepted' });
  });

  it('of a new document in a knowledge base of an earlier version is derived with the key', async () => {
    const { world } = await anOldWorld();
    expect((await world.submit(TEXT, { knowledgeBase: OLD, sourceId: sourceId('new.md') })).documentId).not.toBe(plainId(OLD, 'new.md'));
  });
});

describe('The log', () => {
  it('contains no content, names or digests that confirm a guess', async () => {
    const world = await new World().begin();
    const names = {
      sourceId: sourceId('secret/marigold.md'),
      title: 'Marigold plan',
      fileName: 'marigold.md',
      labels: { project: 'marigold' },
    };
    await world.index(TEXT, names);
    const events: unknown[] = [];
    for await (const { id, type, stream, data } of world.log.readAll()) events.push({ id, type, stream, data });
    const written = JSON.stringify(events);
    expect(written).not.toMatch(/marigold|valve|Handbook/);
    expect(written).not.toMatch(/marigold/i);
    const guesses = [
      TEXT,
      'secret/marigold.md',
      'Marigold plan',
      JSON.stringify(['content', '', TEXT]),
      JSON.stringify(['document', SCOPE.tenant, 'handbook', 'secret/marigold.md']),
    ];
    for (const guess of guesses) expect(written).not.toContain(createHash('sha256').update(guess).digest('hex').slice(0, 32));
    expect(written).not.toContain(
      plainFingerprintOf({
        checksum: plainChecksumOf(Buffer.from(TEXT)),
        labels: names.labels,
        origin: 'UserContent',
        title: names.title,
        fileName: names.fileName,
        chunking: chunkingSettings({ markdown: { maxChars: 200 } }),
      }),
    );
  });
});
