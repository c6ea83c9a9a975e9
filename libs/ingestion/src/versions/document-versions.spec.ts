import { applyPatch } from 'diff';
import fc from 'fast-check';
import type { Access } from '@palimpsest/knowledge/access';
import { sealText, toBase64 } from '@palimpsest/contracts';
import { document, documentStream, scope as scopeDecider, scopeStream } from '@palimpsest/knowledge/deciders';
import { Conflict, InvalidValue, NotFound } from '@palimpsest/knowledge/errors';
import type { ChunkPlace, KnowledgeChunkIndexed } from '@palimpsest/knowledge/events';
import { UNLIMITED } from '@palimpsest/knowledge/limits';
import { ScopeKeyDestroyed } from '@palimpsest/knowledge/ports';
import {
  chunkId,
  documentId,
  embeddingVersion,
  recipeWith,
  tenantId,
  UNKNOWN_ANALYSER,
  type DocumentId,
  type Labels,
} from '@palimpsest/knowledge/values';
import { SYSTEM } from '@palimpsest/foundation';
import { Buses } from '@palimpsest/runtime';
import { aFakeEmbeddingProvider } from '@palimpsest/test-kit';
import { SCOPE, sections, World, WRITER } from '../../test/world.ts';
import { DIFF_LIMITS } from './unified-diff.ts';
import { DiffVersions, DocumentVersions, GetVersion, type FoundDiff, type FoundVersion, type VersionLimits } from './document-versions.ts';

const reader: Access = { ...WRITER, roles: ['reader'] };
const UNKNOWN = documentId('f'.repeat(32));
const LIMITS: VersionLimits = { ...DIFF_LIMITS, textCharacters: 10_000, listedChunks: 100 };

const busesOf = (world: World, limits = LIMITS) =>
  new Buses(new DocumentVersions({ journal: world.journal, keys: world.keys, scheduler: SYSTEM.scheduler }, limits).handlers, UNLIMITED);
const one = (world: World, id: DocumentId, version: number, page: object = {}, access = reader): Promise<FoundVersion> =>
  busesOf(world).execute(new GetVersion({ access, correlationId: 'test' }, { id, version, limit: 100, ...page }));
const diff = (world: World, id: DocumentId, asked: Readonly<{ from?: number; to?: number }> = {}, access = reader, limits = LIMITS) =>
  busesOf(world, limits).execute(new DiffVersions({ access, correlationId: 'test' }, { id, ...asked }));
const errorOf = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

const unifiedOf = ({ text }: FoundDiff): string => ('unified' in text ? text.unified : text.missing);
const changesOf = ({ chunks }: FoundDiff): readonly string[] => chunks.map(({ change, headings }) => `${change} ${headings.join('/')}`);

const aWorld = () => new World().begin();

/** Version 2 with two chunks of this text, both with this place. */
const importVersion = async (world: World, id: DocumentId, over: Partial<ChunkPlace>, text: string): Promise<void> => {
  const [stream, cipher, by] = [
    documentStream(SCOPE.tenant, id),
    await world.keys.cipher(SCOPE),
    { ...SCOPE, actor: 'spec', correlationId: 'spec' },
  ];
  const { current, submission } = await world.state(id);
  if (!current || !submission) throw new Error('the document is not indexed');
  const [first] = (await world.facts(id)).flatMap(({ event }) => (event.type === 'KnowledgeChunkIndexed' ? [event] : []));
  const place = { start: 0, end: 1, fromLine: 1, toLine: 1, ...over };
  const ids = ['1', '2'].map((digit) => chunkId(digit.repeat(32)));
  const chunks = ids.map((each, index) => ({
    type: 'KnowledgeChunkIndexed' as const,
    data: {
      ...(first as KnowledgeChunkIndexed).data,
      ...{ ...place, chunkId: each, index, of: 2, version: 2 },
      sealedText: toBase64(sealText(cipher, each, { text, contextPrefix: '', headings: [] })),
    },
  }));
  const { chunkList, title, mediaType, language, chunkingVersion, metadata, failedChunks, warnings } = current.indexed;
  const about = { chunkList, title, mediaType, language, chunkingVersion, metadata, failedChunks, warnings };
  const result = { ...about, chunks: ids.map((each) => ({ ...place, chunkId: each })) };
  for (const command of [
    { type: 'RecordContents' as const, documentId: id, version: 2, chunks },
    { type: 'Import' as const, documentId: id, version: 2, submission, result, now: world.now() },
  ])
    await world.journal.execute(document, stream, command, by);
};

describe('A version of a document', () => {
  it('has the texts that made it up, also after it was replaced, page by page', async () => {
    const world = await aWorld();
    const { documentId: id } = await world.index(sections('Apple', 'Berry', 'Cedar'));
    await world.index(sections('Dune', 'Berry'));
    const first = await one(world, id, 1, { limit: 2 });
    const rest = await one(world, id, 1, { limit: 2, cursor: first.next });
    expect([first.status, first.list?.data.chunks.length, rest.next]).toEqual(['indexed', 3, undefined]);
    expect([...first.chunks, ...rest.chunks].map(({ index, content, place }) => [index, content.headings, place.fromLine])).toEqual([
      [0, ['Apple'], 1],
      [1, ['Berry'], 5],
      [2, ['Cedar'], 9],
    ]);
    expect(first.chunks[0]?.content.text).toContain('apple apple');
    expect((await one(world, id, 2)).chunks.map(({ content }) => content.headings[0])).toEqual(['Dune', 'Berry']);
  });

  it('says why it was not indexed', async () => {
    const world = await aWorld();
    const { documentId: id } = await world.index('!password');
    await world.submit(sections('Apple'));
    const [failed, pending] = [await one(world, id, 1), await one(world, id, 2)];
    expect([failed.status, failed.failure?.reason, failed.chunks]).toEqual(['failed', 'password', []]);
    expect(pending.status).toBe('pending');
    await world.submit(sections('Berry'));
    expect((await one(world, id, 2)).status).toBe('superseded');
  });

  it('can be read after the document was deleted, and says so until it is submitted again', async () => {
    const world = await aWorld();
    const { documentId: id } = await world.index(sections('Apple'));
    await world.deleteDocument.run(WRITER, id, 'request-2');
    const { history, chunks } = await one(world, id, 1);
    expect([history.deletion, chunks.length]).toEqual([
      { position: String(await world.log.head()), at: expect.any(String), revision: expect.any(Number) },
      1,
    ]);
    await world.index(sections('Apple', 'Berry'));
    expect((await diff(world, id)).history.deletion).toBeUndefined();
  });

  it('is reported as not found if it does not exist', async () => {
    const world = await aWorld();
    const { documentId: id } = await world.index(sections('Apple'));
    await expect(one(world, id, 2)).rejects.toThrow('version "2" not found');
    await expect(one(world, id, 1, { cursor: 'x' })).rejects.toMatchObject({ code: 'InvalidValue', field: 'cursor' });
  });
});

describe('The difference of two versions', () => {
  it('lists kept, added and removed chunks and the lines that differ, by default of the last two indexed versions', async () => {
    const world = await aWorld();
    const { documentId: id } = await world.index(sections('Zero'));
    await world.index(sections('Apple', 'Berry', 'Cedar'));
    await world.index('!corrupt');
    await world.index(sections('Apple', 'Dune', 'Cedar'));
    const found = await diff(world, id);
    expect([found.from.version, found.to.version, found.counts]).toEqual([2, 4, { added: 1, removed: 1, kept: 2 }]);
    expect(changesOf(found)).toEqual(['kept Apple', 'removed Berry', 'added Dune', 'kept Cedar']);
    expect(found.chunks[3]).toMatchObject({ from: { index: 2, fromLine: 9, toLine: 11 }, to: { index: 2, fromLine: 9, toLine: 11 } });
    expect(unifiedOf(found).split('\n').slice(0, 10)).toEqual([
      '--- guide.md@2',
      '+++ guide.md@4',
      '@@ -2,9 +2,9 @@',
      ' ',
      expect.stringContaining(' apple apple'),
      ' ',
      '-# Berry',
      '+# Dune',
      ' ',
      expect.stringContaining('-berry berry'),
    ]);
    expect(found.truncated).toBe(false);
    expect((await diff(world, id, { to: 2 })).from.version).toBe(1);
    expect((await diff(world, id, { from: 1 })).to.version).toBe(4);
    expect((await diff(world, id, { from: 1, to: 2 })).counts).toEqual({ added: 3, removed: 1, kept: 0 });
  });

  it('makes the later text of the earlier one, whatever was changed', async () => {
    const titles = fc.shuffledSubarray(['Apple', 'Berry', 'Cedar', 'Dune', 'Ember'], { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(titles, titles, async (before, after) => {
        const world = await aWorld();
        const { documentId: id } = await world.index(sections(...before), { labels: { n: '1' } });
        await world.index(sections(...after), { labels: { n: '2' } });
        const unified = unifiedOf(await diff(world, id));
        const [from, to] = [before, after].map((each) => sections(...each).replaceAll(/ +$/gm, ''));
        expect(unified === '' ? from : applyPatch(from ?? '', unified)).toBe(to);
      }),
      { numRuns: 25 },
    );
  });

  it('compares the chunk list that both versions have', async () => {
    const large = aFakeEmbeddingProvider({ version: embeddingVersion('fake:large/16') });
    const world = await new World({ others: [large] }).begin();
    const { documentId: id } = await world.index(sections('Apple', 'Berry'));
    const recipe = recipeWith({ version: large.version }, UNKNOWN_ANALYSER, {
      settings: { markdown: { maxChars: 900 } },
      contextual: 'none',
    });
    await world.journal.execute(
      scopeDecider,
      scopeStream(SCOPE),
      { type: 'StartGeneration', scope: SCOPE.scope, recipe, cutover: 'manual', now: world.now() },
      { ...SCOPE, actor: 'spec', correlationId: 'spec' },
    );
    await world.index(sections('Apple', 'Cedar'));
    const { from, to, counts } = await diff(world, id);
    expect([from.list.data.chunkList, to.list.data.chunkList, counts]).toEqual(['default', 'default', { added: 1, removed: 1, kept: 1 }]);
  });

  it('is cut at its limits, with complete counts', async () => {
    const world = await aWorld();
    const { documentId: id } = await world.index(sections('Apple', 'Berry', 'Cedar'));
    await world.index(sections('Dune', 'Ember'));
    const short = await diff(world, id, {}, reader, { ...LIMITS, listedChunks: 2 });
    expect([short.chunks.length, short.truncated, short.counts]).toEqual([2, true, { added: 2, removed: 3, kept: 0 }]);
    const large = await diff(world, id, {}, reader, { ...LIMITS, textCharacters: 10 });
    expect([unifiedOf(large), large.chunks.length, large.truncated]).toEqual(['too-large', 5, false]);
    expect(unifiedOf(await diff(world, id, {}, reader, { ...LIMITS, changedLines: 2 }))).toBe('too-different');
  });

  it.each([
    ['texts that are longer than their places', { start: 0, end: 1 }, 'x'.repeat(30_000), 'too-large'],
    ['a place far behind the text', { start: 1_000_000_000, end: 1_000_000_001 }, 'x', 'too-large'],
    ['a line far behind the text', { start: 500, end: 501, fromLine: 900_000_000, toLine: 900_000_000 }, 'x', 'compared'],
  ])('puts together no more than fits for imported chunks with %s', async (_, place, text, expected) => {
    const world = await aWorld();
    const { documentId: id } = await world.index(sections('Apple'));
    await importVersion(world, id, place, text);
    const found = await diff(world, id);
    expect(['unified' in found.text ? 'compared' : found.text.missing, found.counts]).toEqual([
      expected,
      { added: 2, removed: 1, kept: 0 },
    ]);
    expect(unifiedOf(found).length).toBeLessThan(40_000);
  });

  it('refuses versions that are in the wrong order, do not exist, or were not indexed', async () => {
    const world = await aWorld();
    const { documentId: id } = await world.index(sections('Apple'));
    expect(await errorOf(diff(world, id))).toEqual(new Conflict('fewer than two versions of the document were indexed'));
    expect(await errorOf(diff(world, id, { from: 1 }))).toEqual(new Conflict('no other version was indexed'));
    await world.index('!password');
    expect(await errorOf(diff(world, id, { from: 1, to: 2 }))).toEqual(
      new Conflict('version 2 was not indexed: it failed (password): It cannot be read.'),
    );
    await world.submit(sections('Berry'));
    expect(await errorOf(diff(world, id, { to: 3 }))).toEqual(new Conflict('version 3 was not indexed: it is pending'));
    for (const [asked, name] of [
      [{ from: 1, to: 9 }, '9'],
      [{ from: 8 }, '8'],
    ] as const)
      expect(await errorOf(diff(world, id, asked))).toEqual(new NotFound('version', name));
    for (const asked of [
      { from: 2, to: 2 },
      { from: 3, to: 2 },
    ]) {
      const error = await errorOf(diff(world, id, asked));
      expect(error).toBeInstanceOf(InvalidValue);
      expect(error).toMatchObject({ field: 'from' });
    }
  });
});

describe('Who reads versions', () => {
  it('reports a document and each version without the labels that the key requires like one that does not exist', async () => {
    const world = await aWorld();
    const limited: Access = { ...reader, requiredLabels: { department: ['hr'] } };
    const versions = [{ department: 'hr' }, { department: 'legal' }, { department: 'hr' }, { department: 'hr', year: '2026' }];
    const { documentId: id } = await world.index(sections('Apple'), { labels: versions[0] as Labels });
    expect((await one(world, id, 1, {}, limited)).chunks).toHaveLength(1);
    await world.index(sections('Apple', 'Berry'), { labels: versions[1] as Labels });
    for (const work of [one(world, id, 1, {}, limited), diff(world, id, {}, limited), one(world, id, 7, {}, limited)])
      expect(await errorOf(work)).toEqual(new NotFound('document', id));
    for (const labels of versions.slice(2)) await world.index(sections('Cedar', String(labels?.['year'])), { labels: labels as Labels });
    for (const version of [1, 3, 4]) expect((await one(world, id, version, {}, limited)).status).toBe('indexed');
    for (const work of [
      one(world, id, 2, {}, limited),
      diff(world, id, { from: 1, to: 2 }, limited),
      diff(world, id, { from: 2 }, limited),
    ])
      expect(await errorOf(work)).toEqual(new NotFound('version', '2'));
    expect(changesOf(await diff(world, id, { from: 1, to: 4 }, limited))).toContain('removed Apple');
    await world.deleteDocument.run({ ...WRITER, requiredLabels: { department: ['hr'] } }, id, 'request-2');
    expect((await one(world, id, 1, {}, limited)).chunks).toHaveLength(1);
    expect(await errorOf(one(world, id, 1, {}, { ...limited, requiredLabels: { department: ['legal'] } }))).toBeInstanceOf(NotFound);
  });

  it('keeps nothing of a failed version without the labels', async () => {
    const world = await aWorld();
    const { documentId: id } = await world.index('!corrupt', { labels: { department: 'legal' } });
    await world.index(sections('Apple'), { labels: { department: 'hr' } });
    const limited: Access = { ...reader, requiredLabels: { department: ['hr'] } };
    expect(await errorOf(diff(world, id, { from: 1 }, limited))).toEqual(new NotFound('version', '1'));
    expect(await errorOf(diff(world, id, { from: 1 }))).toBeInstanceOf(Conflict);
  });

  it('reports a document that the caller may not read like one that does not exist', async () => {
    const world = await aWorld();
    const { documentId: id } = await world.index(sections('Apple'));
    await world.index(sections('Berry'));
    const strangers: readonly Access[] = [
      { ...reader, teams: ['blue'] },
      { ...reader, teams: [], user: 'red' },
      { ...reader, tenant: tenantId('other'), teams: ['*'] },
    ];
    for (const access of strangers)
      for (const work of [one(world, id, 1, {}, access), diff(world, id, {}, access), one(world, id, 7, {}, access)])
        expect(await errorOf(work)).toEqual(new NotFound('document', id));
    expect(await errorOf(one(world, UNKNOWN, 1))).toEqual(new NotFound('document', UNKNOWN));
    expect(await errorOf(diff(world, UNKNOWN))).toEqual(new NotFound('document', UNKNOWN));
    await expect(diff(world, id, {}, { ...reader, roles: ['operator'] })).rejects.toThrow('requires the role "reader"');
  });

  it('reports an erased scope', async () => {
    const world = await aWorld();
    const { documentId: id } = await world.index(sections('Apple'));
    await world.keys.destroy(SCOPE);
    expect(await errorOf(one(world, id, 1))).toBeInstanceOf(ScopeKeyDestroyed);
    expect(await errorOf(diff(world, id))).toBeInstanceOf(ScopeKeyDestroyed);
  });
});
