import { scope as scopeDecider, scopeStream } from '@palimpsest/knowledge/deciders';
import { Corrupt, InvalidValue, Unavailable } from '@palimpsest/knowledge/errors';
import type { AppendResult, ExpectedRevision, NewEvent, StreamName } from '@palimpsest/knowledge/ports';
import { recipeWith, embeddingVersion, knowledgeBaseId, sourceId, type DocumentId } from '@palimpsest/knowledge/values';
import { aFakeEmbeddingProvider, Crash, InMemoryEventLog, type FakeEmbeddingCall } from '@palimpsest/test-kit';
import { chunkingSettings, openVectors } from '@palimpsest/contracts';
import { BASE, SCOPE, sections, World, WRITER } from '../../test/world.ts';

const TITLES = ['Apple', 'Berry', 'Cedar', 'Dune', 'Ember'];
const LARGE = embeddingVersion('fake:large/16');
const aWorld = (options?: ConstructorParameters<typeof World>[0]) => new World(options).begin();
const startGeneration = (world: World, version = LARGE) =>
  world.journal.execute(
    scopeDecider,
    scopeStream(SCOPE),
    { type: 'StartGeneration', scope: SCOPE.scope, recipe: recipeWith({ version }), now: world.now() },
    { ...SCOPE, actor: 'spec', correlationId: 'spec' },
  );
const holding = (word: string) => (texts: readonly string[]) => texts.some((text) => text.includes(word));

describe('processing a document', () => {
  it('records its chunks and commits them with one event', async () => {
    const world = await aWorld();
    const { documentId } = await world.index(sections('Apple', 'Berry'));
    expect(await world.types(documentId)).toEqual([
      'DocumentSubmitted',
      'DocumentProcessingStarted',
      'KnowledgeChunkIndexed',
      'KnowledgeChunkIndexed',
      'DocumentIndexed',
    ]);
    const { status, current } = await world.state(documentId);
    expect([status, current?.version, current?.indexed.title, current?.chunkIds.length]).toEqual(['indexed', 1, 'From the text', 2]);
    expect(world.requested).toEqual([]);
  });

  it('embeds only the new chunks of a changed document, and keeps the vectors of the others', async () => {
    const world = await aWorld();
    const { documentId } = await world.index(sections('Apple', 'Berry', 'Cedar'));
    await world.index(sections('Cedar', 'Dune', 'Apple'));
    expect([...world.embedded().values()]).toEqual([1, 1, 1, 1]);
    const { current, recorded } = await world.state(documentId);
    expect(current?.indexed.written).toHaveLength(1);
    expect(current?.indexed.removed).toHaveLength(1);
    expect(recorded.size).toBe(4);
    await world.index(sections('Apple', 'Berry', 'Cedar'));
    expect([...world.embedded().values()]).toEqual([1, 1, 1, 1]);
  });

  it('uses the language of the knowledge base for a text that is too short to detect its language', async () => {
    const world = await aWorld();
    world.parser.language = 'und';
    const alone = await world.index(sections('Apple'), { sourceId: sourceId('alone.md') });
    expect((await world.state(alone.documentId)).current?.indexed.language).toBe('und');
    world.languages = [
      { knowledgeBase: knowledgeBaseId('handbook'), language: 'en', documents: 1, chunks: 9 },
      { knowledgeBase: knowledgeBaseId('other'), language: 'de', documents: 1, chunks: 90 },
    ];
    const { documentId } = await world.index(sections('Berry'));
    expect((await world.state(documentId)).current?.indexed.language).toBe('en');
    const chunks = (await world.facts(documentId)).flatMap(({ event }) =>
      event.type === 'KnowledgeChunkIndexed' ? [event.data.language] : [],
    );
    expect(chunks).toEqual(['en']);
  });

  it('leaves the language of a text undefined if the declared language of its knowledge base fits', async () => {
    const world = await aWorld();
    world.parser.language = 'und';
    world.languages = [
      { knowledgeBase: BASE, language: 'en', documents: 1, chunks: 9 },
      { knowledgeBase: BASE, language: 'ru', documents: 1, chunks: 1 },
    ];
    await world.knowledgeBases.configure(WRITER, BASE, { language: 'de-CH' }, 'request-0');
    const indexedAs = async (text: string) =>
      (await world.state((await world.index(sections(text), { sourceId: sourceId(text) })).documentId)).current?.indexed.language;
    expect([await indexedAs('Kessel'), await indexedAs('Котёл')]).toEqual(['und', 'ru']);
  });

  it('does nothing when its work is delivered again', async () => {
    const world = await aWorld();
    const submitted = await world.index(sections('Apple'));
    const [head, calls] = [await world.log.head(), world.provider.calls.length];
    await world.process(submitted);
    expect([await world.log.head(), world.provider.calls.length]).toEqual([head, calls]);
  });

  it('does nothing, and calls neither parser nor model, for any earlier work that is delivered again', async () => {
    const world = await aWorld();
    const first = await world.index(sections('Apple'));
    const second = await world.index(sections('Berry'));
    const failed = await world.index('!corrupt', { sourceId: sourceId('bad.md') });
    const deleted = await world.index(sections('Cedar'), { sourceId: sourceId('gone.md') });
    await world.deleteDocument.run(WRITER, deleted.documentId, 'request-2');
    const before = [await world.log.head(), world.provider.calls.length, world.parser.parsed.length];
    for (const work of [first, second, failed, deleted, first]) await world.process(work);
    expect([await world.log.head(), world.provider.calls.length, world.parser.parsed.length]).toEqual(before);
  });

  it('fails with the reason of the parser, and keeps the previous version', async () => {
    const world = await aWorld();
    const { documentId } = await world.index(sections('Apple'));
    await world.index('!password');
    expect(await world.state(documentId)).toMatchObject({ status: 'failed', version: 2, current: { version: 1 } });
    expect((await world.facts(documentId)).at(-1)?.event).toMatchObject({
      type: 'DocumentFailed',
      data: { version: 2, reason: 'password', detail: 'It cannot be read.' },
    });
  });

  it('fails a document without text', async () => {
    const world = await aWorld();
    const { documentId } = await world.index(' \n\n ');
    expect((await world.facts(documentId)).at(-1)?.event).toMatchObject({ data: { reason: 'empty' } });
  });

  it('keeps the previous state while the model is unavailable, and continues afterwards', async () => {
    let away = false;
    const provider = aFakeEmbeddingProvider({
      beforeAnswer: () => {
        if (away) throw new Unavailable('the model is away');
      },
    });
    const world = await aWorld({ provider });
    const { documentId } = await world.index(sections('Apple'));
    away = true;
    const second = await world.submit(sections('Berry'));
    await expect(world.process(second)).rejects.toThrow(Unavailable);
    expect(await world.state(documentId)).toMatchObject({ status: 'processing', version: 2, current: { version: 1 } });
    away = false;
    await world.process(second);
    expect(await world.state(documentId)).toMatchObject({ status: 'indexed', current: { version: 2 } });
  });

  it('reports a blob that is missing or damaged', async () => {
    const world = await aWorld();
    const submitted = await world.submit(sections('Apple'));
    const blob = (await world.state(submitted.documentId)).submission?.blob;
    world.blobs.damage(blob as never);
    await expect(world.process(submitted)).rejects.toThrow(Corrupt);
    await world.blobs.delete(blob as never);
    await expect(world.process(submitted)).rejects.toThrow(/blob .* is missing/);
  });
});

describe('a chunk that exceeds the model’s window', () => {
  const vectorsIn = async (world: World, id: DocumentId) => {
    const cipher = await world.keys.cipher(SCOPE);
    return (await world.facts(id)).flatMap(({ event }) =>
      event.type === 'KnowledgeChunkIndexed' ? [openVectors(cipher, event.data.chunkId, event.data.embeddingVersion, event.data)] : [],
    );
  };
  const small = () => aFakeEmbeddingProvider({ maxWords: 10 });

  it('gets several vectors if the owner chose the chunk size, and no text is sent that exceeds the window', async () => {
    const world = await aWorld({ provider: small() });
    const { documentId } = await world.index(sections('Apple', 'Berry'));
    const { count, tokens } = await world.provider.window();
    expect([...world.embedded().keys()].filter((text) => count(text) > tokens)).toEqual([]);
    const vectors = await vectorsIn(world, documentId);
    expect(vectors).toHaveLength(2);
    for (const { further = [] } of vectors) expect(further.length).toBeGreaterThan(1);
  });

  it('does not occur if the chunk size follows from the model: prefix and text fit together', async () => {
    const world = new World({ provider: small() });
    await world.knowledgeBases.create(
      WRITER,
      { id: BASE, scope: SCOPE.scope, settings: { name: 'Handbook', description: '', chunking: chunkingSettings() } },
      'request-0',
    );
    const { documentId } = await world.index(sections('Apple', 'Berry'));
    const vectors = await vectorsIn(world, documentId);
    expect(vectors.length).toBeGreaterThan(4);
    expect(vectors.filter(({ further }) => further !== undefined)).toEqual([]);
    expect((await world.facts(documentId)).filter(({ event }) => event.type === 'KnowledgeChunkIndexed' && event.data.truncated)).toEqual(
      [],
    );
  });

  it('makes it possible to index a document of more than 5,000 windows', async () => {
    const world = new World({ provider: small() });
    await world.knowledgeBases.create(
      WRITER,
      { id: BASE, scope: SCOPE.scope, settings: { name: 'Handbook', description: '', chunking: chunkingSettings() } },
      'request-0',
    );
    const { documentId } = await world.index(Array.from({ length: 50_000 }, (_, i) => `w${i % 997}`).join(' '));
    const { current, status } = await world.state(documentId);
    expect(status).toBe('indexed');
    expect(current?.chunkIds.length).toBeLessThanOrEqual(5_000);
    expect(current?.indexed.chunkingVersion).toBe('markdown@2/words-window-10-2');
    expect((await vectorsIn(world, documentId)).reduce((sum, { further = [] }) => sum + 1 + further.length, 0)).toBeGreaterThan(5_000);
  });

  it('keeps all its vectors when other parts of the document change', async () => {
    const world = await aWorld({ provider: small() });
    const { documentId } = await world.index(sections('Apple', 'Berry'));
    const before = await vectorsIn(world, documentId);
    const calls = world.provider.calls.length;
    await world.index(sections('Berry', 'Apple'));
    expect(await vectorsIn(world, documentId)).toEqual(before);
    expect(world.provider.calls.length).toBe(calls);
  });

  it('fits into an append with all its vectors, whatever the dimensions of the model', async () => {
    const provider = aFakeEmbeddingProvider({ maxWords: 10, version: embeddingVersion('fake:wide/4096') });
    const world = new World({ provider });
    const chunking = chunkingSettings({ markdown: { maxChars: 16_000 } });
    await world.knowledgeBases.create(
      WRITER,
      { id: BASE, scope: SCOPE.scope, settings: { name: 'Handbook', description: '', chunking } },
      'request-0',
    );
    const { documentId } = await world.index(
      Array.from({ length: 4 }, (_, n) => `# Part ${n}\n\n${Array.from({ length: 2_500 }, (_, i) => `w${i}`).join(' ')}\n`).join('\n'),
    );
    const chunks = (await world.facts(documentId)).flatMap(({ event }) => (event.type === 'KnowledgeChunkIndexed' ? [event.data] : []));
    expect(chunks.length).toBeGreaterThanOrEqual(4);
    // More windows than a chunk may have vectors: a warning reports it.
    expect(chunks.filter(({ truncated }) => truncated).length).toBeGreaterThan(0);
    expect((await world.state(documentId)).status).toBe('indexed');
    expect((await world.state(documentId)).current?.indexed.warnings.join()).toMatch(/chunks? .*too long to be embedded completely/);
  });
});

describe('a chunk that the model refuses', () => {
  const refusing = (word: string) => ({
    beforeAnswer: ({ texts }: FakeEmbeddingCall): void => {
      if (holding(word)(texts)) throw new InvalidValue('text', 'something else', word);
    },
  });

  it('is left out and reported, and the other chunks are indexed', async () => {
    const world = await aWorld({ provider: aFakeEmbeddingProvider(refusing('berry')) });
    const { documentId } = await world.index(sections('Apple', 'Berry', 'Cedar'));
    const { current } = await world.state(documentId);
    expect(current?.indexed).toMatchObject({ failedChunks: 1, chunks: { length: 2 } });
    const failure = (await world.facts(documentId)).find(({ event }) => event.type === 'KnowledgeChunkFailed');
    expect(failure?.event.data).toMatchObject({
      version: 1,
      index: 1,
      embeddingVersion: world.provider.version,
      reason: 'text: expected something else, got "berry"',
    });
  });

  it('fails the document if all chunks are refused, and keeps the previous version', async () => {
    const world = await aWorld({ provider: aFakeEmbeddingProvider(refusing('berry')) });
    const { documentId } = await world.index(sections('Apple'));
    await world.index(sections('Berry'));
    expect(await world.state(documentId)).toMatchObject({ status: 'failed', current: { version: 1 } });
    expect((await world.facts(documentId)).at(-1)?.event).toMatchObject({ data: { reason: 'embedding-failed' } });
  });

  it('stays searchable with the active model if only another model refuses it', async () => {
    const large = aFakeEmbeddingProvider({ version: LARGE, ...refusing('berry') });
    const world = await aWorld({ others: [large] });
    await startGeneration(world);
    const { documentId } = await world.index(sections('Apple', 'Berry'));
    const { current } = await world.state(documentId);
    expect(current?.indexed).toMatchObject({ failedChunks: 0, chunks: { length: 2 } });
    expect((await world.types(documentId)).filter((type) => type === 'KnowledgeChunkReembedFailed')).toHaveLength(1);
  });
});

describe('superseded work', () => {
  it.each([
    ['by a newer version', (world: World) => world.submit(sections('Dune')).then(() => undefined)],
    [
      'by a deletion',
      async (world: World) =>
        world.deleteDocument.run(WRITER, (await world.submit(sections('Apple', 'Berry'))).documentId, 'request-2').then(() => undefined),
    ],
  ])('that is replaced %s records nothing', async (_, supersede) => {
    let meanwhile: (() => Promise<void>) | undefined;
    const world = await aWorld({ provider: aFakeEmbeddingProvider({ beforeAnswer: () => meanwhile?.() }) });
    const submitted = await world.submit(sections('Apple', 'Berry'));
    meanwhile = async () => {
      meanwhile = undefined;
      await supersede(world);
    };
    await world.process(submitted);
    const types = await world.types(submitted.documentId);
    expect(types).not.toContain('DocumentIndexed');
    expect(types).not.toContain('KnowledgeChunkIndexed');
  });

  it('is not started', async () => {
    const world = await aWorld();
    const first = await world.submit(sections('Apple'));
    await world.submit(sections('Berry'));
    await world.process(first);
    expect(world.parser.parsed).toHaveLength(0);
    expect(world.provider.calls).toHaveLength(0);
  });

  it('stops when the worker is stopped', async () => {
    const stop = new AbortController();
    const world = await aWorld({ provider: aFakeEmbeddingProvider({ beforeAnswer: () => stop.abort(new Error('shutting down')) }) });
    const submitted = await world.submit(sections('Apple'));
    await expect(world.process(submitted, stop.signal)).rejects.toThrow('shutting down');
    expect((await world.state(submitted.documentId)).status).toBe('processing');
    await world.process(submitted);
    expect((await world.state(submitted.documentId)).status).toBe('indexed');
  });
});

describe('two workers on one document', () => {
  it('record each chunk once, and index the document once', async () => {
    const world = await aWorld();
    const submitted = await world.submit(sections(...TITLES));
    await Promise.all([world.process(submitted), world.process(submitted), world.process(submitted)]);
    const types = await world.types(submitted.documentId);
    expect(types.filter((type) => type === 'DocumentIndexed')).toHaveLength(1);
    expect(types.filter((type) => type === 'KnowledgeChunkIndexed')).toHaveLength(TITLES.length);
    expect((await world.state(submitted.documentId)).status).toBe('indexed');
  });
});

/** Simulates a crash at an append to the document's stream, before or after it is on disk. */
class DyingLog extends InMemoryEventLog {
  dieAt = Infinity;
  after = false;
  appends = 0;

  override async append(stream: StreamName, events: readonly NewEvent[], expected: ExpectedRevision): Promise<AppendResult> {
    if (!stream.startsWith('document-')) return super.append(stream, events, expected);
    const dying = ++this.appends === this.dieAt;
    if (dying && !this.after) throw new Crash('before the append');
    const result = await super.append(stream, events, expected);
    if (dying) throw new Crash('after the append');
    return result;
  }
}

describe('a worker that is killed', () => {
  it.each([false, true])('resumes where it stopped, and embeds no recorded chunk twice (killed after the append: %p)', async (after) => {
    // More chunks than fit into one batch, so that some are recorded and some are not.
    const text = sections(...Array.from({ length: 70 }, (_, i) => `Section${i}`));
    for (let dieAt = 1, died = true; died; dieAt++) {
      const log = new DyingLog();
      const world = await aWorld({ log });
      const submitted = await world.submit(text);
      Object.assign(log, { dieAt, after, appends: 0 });
      died = await world.process(submitted).then(
        () => false,
        (error: unknown) => error instanceof Crash,
      );
      const recordedThen = (await world.state(submitted.documentId)).recorded.size;
      const embeddedThen = world.provider.calls.flatMap(({ texts }) => texts).length;
      await world.process(submitted);
      const { status, current } = await world.state(submitted.documentId);
      expect([status, current?.chunkIds.length]).toEqual(['indexed', 70]);
      expect(world.provider.calls.flatMap(({ texts }) => texts).length - embeddedThen).toBe(70 - recordedThen);
      expect((await world.types(submitted.documentId)).filter((type) => type === 'KnowledgeChunkIndexed')).toHaveLength(70);
      if (!died) expect(dieAt).toBe(6);
    }
  });
});
