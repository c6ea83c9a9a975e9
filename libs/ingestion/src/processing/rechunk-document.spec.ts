import { scope as scopeDecider, scopeStream } from '@palimpsest/knowledge/deciders';
import { InvalidValue, Unavailable } from '@palimpsest/knowledge/errors';
import { blobKey } from '@palimpsest/knowledge/ports';
import {
  chunkListOf,
  DEFAULT_CHUNK_LIST,
  embeddingVersion,
  recipeWith,
  UNKNOWN_ANALYSER,
  type ChunkingRecipe,
  type DocumentId,
} from '@palimpsest/knowledge/values';
import { aFakeEmbeddingProvider } from '@palimpsest/test-kit';
import { SCOPE, sections, World, WRITER } from '../../test/world.ts';
import { RechunkDocument } from './rechunk-document.ts';

const LARGE = embeddingVersion('fake:large/16');
const WIDE: ChunkingRecipe = { settings: { markdown: { maxChars: 900 } }, contextual: 'none' };
const LIST = chunkListOf(WIDE);
const OPEN = () => Promise.resolve();
/** Several chunks with the settings of the knowledge base, one chunk of 900 characters. */
const LONG = `# Apple\n\n${Array.from({ length: 12 }, (_, i) => `Sentence ${i} is about apples and pears.`).join(' ')}\n`;

const aWorld = () => new World({ others: [aFakeEmbeddingProvider({ version: LARGE })] }).begin();

const startWide = async (world: World) => {
  const recipe = recipeWith({ version: LARGE }, UNKNOWN_ANALYSER, WIDE);
  const { state } = await world.journal.execute(
    scopeDecider,
    scopeStream(SCOPE),
    { type: 'StartGeneration', scope: SCOPE.scope, recipe, cutover: 'manual', now: world.now() },
    { ...SCOPE, actor: 'spec', correlationId: 'spec' },
  );
  const generation = state.generations.at(-1);
  if (!generation) throw new Error('no generation was started');
  return generation;
};

const rechunking = async (world: World) => {
  const generation = await startWide(world);
  const { journal, blobs, keys, parser, providers, now } = world;
  const rechunk = new RechunkDocument({ journal, blobs, keys, parser, providers, now });
  const work = { scope: SCOPE, of: DEFAULT_CHUNK_LIST, generation, correlationId: 'swap', signal: new AbortController().signal };
  return (documentId: DocumentId, gate: () => Promise<void> = OPEN) => rechunk.run({ ...work, documentId, gate });
};

const previewing = async (world: World, version = LARGE) => {
  const { journal, blobs, keys, parser, providers, now } = world;
  const rechunk = new RechunkDocument({ journal, blobs, keys, parser, providers, now });
  const recipe = recipeWith({ version }, UNKNOWN_ANALYSER, WIDE);
  const work = { scope: SCOPE, of: DEFAULT_CHUNK_LIST, recipe, signal: new AbortController().signal };
  return (documentId: DocumentId) => rechunk.preview({ ...work, documentId });
};

const listOf = async (world: World, documentId: DocumentId, list = LIST) => (await world.state(documentId)).lists.get(list);

describe('chunking an indexed document again', () => {
  it('gives it another list of the same version from its stored upload, and leaves the first one as it is', async () => {
    const world = await aWorld();
    const { documentId } = await world.index(LONG, { title: 'Orchard', labels: { team: 'red' } });
    const rechunk = await rechunking(world);
    const first = await listOf(world, documentId, DEFAULT_CHUNK_LIST);
    expect((await rechunk(documentId)).tokens).toBeGreaterThan(0);
    const made = await listOf(world, documentId);
    expect(first?.chunkIds).toHaveLength(3);
    expect(made?.chunkIds).toHaveLength(1);
    expect(made?.indexed).toMatchObject({ version: 1, title: 'Orchard', labels: { team: 'red' }, fingerprint: first?.fingerprint });
    expect(made?.indexed).toMatchObject({ written: made?.chunkIds, removed: [] });
    const { recorded, status, lists } = await world.state(documentId);
    for (const id of made?.chunkIds ?? []) expect([...(recorded.get(id)?.vectors.keys() ?? [])]).toEqual([LARGE]);
    expect([status, lists.get(DEFAULT_CHUNK_LIST)?.chunkIds]).toEqual(['indexed', first?.chunkIds]);
  });

  it('commits a list of the log again without reading the upload, for read models that lack it', async () => {
    const world = await aWorld();
    const { documentId } = await world.index(LONG);
    const rechunk = await rechunking(world);
    await rechunk(documentId);
    const [made, parsed] = [await listOf(world, documentId), world.parser.parsed.length];
    expect(await rechunk(documentId)).toEqual({ tokens: 0 });
    expect(world.parser.parsed).toHaveLength(parsed);
    expect((await listOf(world, documentId))?.indexed).toMatchObject({ chunks: made?.indexed.chunks, written: made?.chunkIds });
  });

  it('keeps the chunks of a document whose upload is lost or is rejected now, with the reason, and tries again next time', async () => {
    const world = await aWorld();
    const { documentId } = await world.index(LONG);
    const { submission } = await world.state(documentId);
    const blob = submission?.blob ?? blobKey('none');
    const upload = await world.blobs.get(blob);
    await world.blobs.delete(blob);
    const rechunk = await rechunking(world);
    await rechunk(documentId);
    const kept = await listOf(world, documentId);
    expect(kept?.chunkIds).toEqual((await listOf(world, documentId, DEFAULT_CHUNK_LIST))?.chunkIds);
    expect(kept?.indexed).toMatchObject({
      notRechunked: 'The stored upload is missing or damaged.',
      warnings: ['The document keeps its chunks. The stored upload is missing or damaged.'],
    });
    await world.blobs.put(blob, upload ?? new Uint8Array());
    world.parser.before = () => Promise.reject(new Unavailable('no process'));
    await expect(rechunk(documentId)).rejects.toThrow(Unavailable);
    world.parser.before = () => Promise.resolve();
    await rechunk(documentId);
    expect((await listOf(world, documentId))?.indexed).not.toHaveProperty('notRechunked');
    expect((await listOf(world, documentId))?.chunkIds).toHaveLength(1);
  });

  it('chunks the version that searches see, while a later one waits', async () => {
    const world = await aWorld();
    const { documentId } = await world.index(LONG);
    await world.submit(sections('Berry'));
    await (
      await rechunking(world)
    )(documentId);
    expect((await listOf(world, documentId))?.version).toBe(1);
    expect(await world.state(documentId)).toMatchObject({ status: 'pending', version: 2 });
  });

  it('does nothing for a document that is deleted, or is changed meanwhile, and stops at the gate', async () => {
    const world = await aWorld();
    const { documentId } = await world.index(LONG);
    const rechunk = await rechunking(world);
    await expect(rechunk(documentId, () => Promise.reject(new Error('paused')))).rejects.toThrow('paused');
    let changed = false;
    const change = async (): Promise<void> => {
      if (changed) return;
      changed = true;
      await world.index(sections('Berry'));
    };
    expect(await rechunk(documentId, change)).toEqual({ tokens: 0 });
    expect((await listOf(world, documentId))?.version).toBe(2);
    await world.deleteDocument.run(WRITER, documentId, 'request-1');
    expect(await rechunk(documentId)).toEqual({ tokens: 0 });
    expect((await world.state(documentId)).lists.size).toBe(0);
  });
});

/** Refuses texts that contain "refused". */
const refusing = aFakeEmbeddingProvider({
  version: LARGE,
  beforeAnswer: ({ texts }) => {
    if (texts.some((text) => text.includes('refused'))) throw new InvalidValue('text', 'another text', 'this one');
  },
});
/** Two chunks also with the wide settings. */
const [GOOD, BAD] = [LONG, LONG.replace('# Apple', '# Refused').replaceAll('apples', 'refused apples')];

describe('a chunk of another chunking that the model refuses', () => {
  it('leaves the document with the chunks that it has: no text disappears from searches', async () => {
    const world = await new World({ others: [refusing] }).begin();
    const { documentId } = await world.index(`${GOOD}\n${BAD}`);
    const rechunk = await rechunking(world);
    await rechunk(documentId);
    const [present, kept] = [await listOf(world, documentId, DEFAULT_CHUNK_LIST), await listOf(world, documentId)];
    expect(kept?.chunkIds).toEqual(present?.chunkIds);
    expect(kept?.indexed).toMatchObject({
      notRechunked: 'With these chunking settings, the embedding model refused 1 of 2 chunks.',
      failedChunks: 0,
    });
  });

  it('is left out if the document lacks as much already', async () => {
    const world = await new World({ provider: refusing }).begin();
    const { documentId } = await world.index(`${GOOD}\n${BAD}`);
    const present = await listOf(world, documentId, DEFAULT_CHUNK_LIST);
    expect(present?.indexed.failedChunks).toBeGreaterThan(0);
    const rechunk = await rechunking(world);
    await rechunk(documentId);
    const made = await listOf(world, documentId);
    expect(made?.indexed).toMatchObject({ failedChunks: 1 });
    expect(made?.indexed).not.toHaveProperty('notRechunked');
  });
});

describe('the preview of another chunking', () => {
  it('has the texts that the list would get, and records nothing', async () => {
    const world = await aWorld();
    const { documentId } = await world.index(LONG);
    const preview = await previewing(world);
    const before = await world.types(documentId);
    const previewed = await preview(documentId);
    expect(previewed).toMatchObject({ present: 3, chunks: [{ isEmbedded: false }] });
    expect(await world.types(documentId)).toEqual(before);
    await (
      await rechunking(world)
    )(documentId);
    expect((await listOf(world, documentId))?.chunkIds).toHaveLength(previewed?.chunks?.length ?? 0);
    expect(await preview(documentId)).toMatchObject({ chunks: [{ isEmbedded: true }] });
    const [first] = previewed?.chunks ?? [];
    expect(first?.content.text).toMatch(/Sentence 0 .* Sentence 11 /s);
  });

  it('has no texts if the document would keep its chunks, and is missing if it was deleted', async () => {
    const world = await aWorld();
    const { documentId } = await world.index(LONG);
    const preview = await previewing(world);
    const { submission } = await world.state(documentId);
    await world.blobs.delete(submission?.blob ?? blobKey('none'));
    expect(await preview(documentId)).toEqual({ present: 3 });
    await world.deleteDocument.run(WRITER, documentId, 'request-1');
    expect(await preview(documentId)).toBeUndefined();
  });
});

describe('a document of a scope with two chunkings', () => {
  it('gets both lists in one append, and a change gives it both again', async () => {
    const world = await aWorld();
    await world.index(sections('First'));
    await startWide(world);
    const { documentId } = await world.index(LONG);
    const types = await world.types(documentId);
    expect(types.slice(-2)).toEqual(['DocumentIndexed', 'DocumentIndexed']);
    const { lists } = await world.state(documentId);
    expect([...lists].map(([list, { version }]) => [list, version])).toEqual([
      [DEFAULT_CHUNK_LIST, 2],
      [LIST, 2],
    ]);
    expect([...lists.values()].map(({ chunkIds }) => chunkIds.length)).toEqual([3, 1]);
    expect(world.requested).toEqual([]);
  });

  it('keeps its chunks in the second list if that cannot be made', async () => {
    const refusing = aFakeEmbeddingProvider({
      version: LARGE,
      beforeAnswer: ({ texts }) => {
        if (texts.some((text) => text.length > 300)) throw new InvalidValue('text', 'a short text', 'a long one');
      },
    });
    const world = await new World({ others: [refusing] }).begin();
    await world.index(sections('First'));
    await startWide(world);
    const { documentId } = await world.index(LONG);
    const { lists, recorded } = await world.state(documentId);
    const kept = lists.get(LIST);
    expect(kept?.indexed.notRechunked).toBe('The embedding model refused every chunk.');
    expect(kept?.chunkIds).toEqual(lists.get(DEFAULT_CHUNK_LIST)?.chunkIds);
    expect(kept?.chunkIds.every((id) => recorded.has(id))).toBe(true);
    // The vectors of the other model are still missing.
    expect(world.requested).toEqual([expect.objectContaining({ documentId })]);
  });
});
