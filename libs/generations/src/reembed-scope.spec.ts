import type { Access } from '@palimpsest/knowledge/access';
import { documentStream } from '@palimpsest/knowledge/deciders';
import { Conflict, EmbeddingModelMismatch, Forbidden, InvalidValue, NotFound, Unavailable } from '@palimpsest/knowledge/errors';
import { UNLIMITED } from '@palimpsest/knowledge/limits';
import type { EmbeddingProvider } from '@palimpsest/knowledge/ports';
import { generationId, recipeWith } from '@palimpsest/knowledge/values';
import { fromBase64, openVector, openVectors } from '@palimpsest/contracts';
import { Buses } from '@palimpsest/runtime';
import { aFakeEmbeddingProvider, type FakeEmbeddingProvider } from '@palimpsest/test-kit';
import { ADMIN, HUGE, LARGE, MINI, SCOPE, theChunk, theDocument, World } from '../test/world.ts';
import { StartReembedding } from './reembed-scope.ts';

const aWorld = async (...providers: readonly EmbeddingProvider[]) => {
  const world = await new World(...providers).begin();
  await world.indexed('a', ['apple', 'berry']);
  await world.indexed('b', ['cedar']);
  return world;
};
const start = (world: World, access = ADMIN) =>
  new Buses(world.scopes.handlers, UNLIMITED).execute(new StartReembedding({ access, correlationId: 'request-1' }, { scope: SCOPE.scope }));
const textsOf = (provider: FakeEmbeddingProvider): readonly string[] => provider.calls.flatMap(({ texts }) => texts);

describe('moving a scope to another model', () => {
  it('embeds every chunk once, from the log, and then switches', async () => {
    const large = aFakeEmbeddingProvider({ version: LARGE });
    const world = await aWorld(large);
    await world.work();
    expect(await world.active()).toBe(MINI);
    expect(await start(world)).toMatchObject({ generation: { id: 'g2', embeddingVersion: LARGE, status: 'building' } });
    await world.work();
    expect(await world.active()).toBe(LARGE);
    expect([...textsOf(large)].sort()).toEqual(['apple', 'berry', 'cedar']);
    expect(await world.models('a', 'apple', 'berry')).toEqual([
      [MINI, LARGE],
      [MINI, LARGE],
    ]);
    expect((await world.generations()).map(({ status }) => status)).toEqual(['standby', 'active']);
  });

  it('records the vector of the model, bound to chunk and model', async () => {
    const world = await aWorld();
    await start(world);
    await world.work();
    const [expected] = await aFakeEmbeddingProvider({ version: LARGE }).embed(['apple'], 'passage');
    for await (const { event } of world.journal.readStream(documentStream(SCOPE.tenant, theDocument('a')))) {
      if (event.type !== 'KnowledgeChunkReembedded' || event.data.chunkId !== theChunk('a', 'apple')) continue;
      expect(openVector(await world.keys.cipher(SCOPE), event.data.chunkId, LARGE, fromBase64(event.data.sealedVector))).toEqual(
        expected?.vector,
      );
      expect(event.data).toMatchObject({ embeddingVersion: LARGE, madeFrom: 1 });
      return;
    }
    throw new Error('event not found');
  });

  it('computes several vectors for a chunk that exceeds the window of the new model, and sends no text that does not fit', async () => {
    const small = aFakeEmbeddingProvider({ version: LARGE, maxWords: 2 });
    const world = await aWorld(small);
    const long = 'a b c d e f g';
    await world.indexed('c', [long]);
    await start(world);
    await world.work();
    expect(await world.active()).toBe(LARGE);
    const { count } = await small.window();
    expect(textsOf(small).filter((text) => count(text) > 2)).toEqual([]);
    for await (const { event } of world.journal.readStream(documentStream(SCOPE.tenant, theDocument('c')))) {
      if (event.type !== 'KnowledgeChunkReembedded') continue;
      const { vector, further = [] } = openVectors(await world.keys.cipher(SCOPE), event.data.chunkId, LARGE, event.data);
      expect([vector, ...further]).toHaveLength(textsOf(small).filter((text) => long.includes(text)).length);
      expect(further.length).toBeGreaterThanOrEqual(2);
      expect(event.data.truncated).toBe(false);
      return;
    }
    throw new Error('event not found');
  });

  it('fills batches across documents', async () => {
    const large = aFakeEmbeddingProvider({ version: LARGE });
    const world = await aWorld(large);
    for (let i = 0; i < 67; i++) await world.indexed(`short ${i}`, [`text ${i}`]);
    await start(world);
    await world.work();
    expect(large.calls.map(({ texts }) => texts.length).filter((length) => length < 31)).toHaveLength(1);
    expect(new Set(textsOf(large)).size).toBe(70);
    expect(textsOf(large)).toHaveLength(70);
  });

  it('skips chunks that already have the vector', async () => {
    const large = aFakeEmbeddingProvider({ version: LARGE });
    const world = await aWorld(large);
    await world.indexed('c', ['dune', 'ember'], LARGE);
    await start(world);
    await world.work();
    // The chunks of "c" have no vectors of the old model, which is no longer configured. That blocks nothing.
    expect([...textsOf(large)].sort()).toEqual(['apple', 'berry', 'cedar']);
    expect(await world.active()).toBe(LARGE);
  });

  it('skips chunks that are no longer part of a document, and deleted documents', async () => {
    const large = aFakeEmbeddingProvider({ version: LARGE });
    const world = await aWorld(large);
    await world.indexed('a', ['berry', 'dune']);
    await world.deleted('b');
    await start(world);
    await world.work();
    expect([...textsOf(large)].sort()).toEqual(['berry', 'dune']);
  });

  it('includes documents that are indexed meanwhile, before it switches', async () => {
    let meanwhile: (() => Promise<void>) | undefined;
    const large = aFakeEmbeddingProvider({ version: LARGE, beforeAnswer: () => meanwhile?.() });
    const world = await aWorld(large);
    await start(world);
    meanwhile = async () => {
      meanwhile = undefined;
      await world.indexed('c', ['fjord']);
    };
    await world.work();
    expect(await world.models('c', 'fjord')).toEqual([[MINI, LARGE]]);
    expect(await world.active()).toBe(LARGE);
  });

  it('continues after a stop or a failure of the model, and embeds nothing twice', async () => {
    let calls = 0;
    const large = aFakeEmbeddingProvider({
      version: LARGE,
      beforeAnswer: () => {
        if (++calls === 2) throw new Unavailable('the model is unavailable');
      },
    });
    const world = await aWorld(large);
    await world.indexed(
      'long',
      Array.from({ length: 40 }, (_, i) => `text ${i}`),
    );
    await start(world);
    await expect(world.work()).rejects.toThrow(Unavailable);
    expect(await world.active()).toBe(MINI);
    await expect(world.work(AbortSignal.abort(new Error('shutting down')))).rejects.toThrow('shutting down');
    await world.work();
    expect(await world.active()).toBe(LARGE);
    expect(large.calls.map(({ texts }) => texts.length)).toEqual([31, 12, 12]);
  });

  it('records each vector once with two concurrent workers', async () => {
    const world = await aWorld();
    await start(world);
    await Promise.all([world.work(), world.work()]);
    const recorded: string[] = [];
    for await (const { event } of world.journal.readAll()) if (event.type === 'KnowledgeChunkReembedded') recorded.push(event.data.chunkId);
    expect(recorded).toHaveLength(3);
    expect(new Set(recorded).size).toBe(3);
    expect(await world.active()).toBe(LARGE);
  });

  it('records a chunk that the model rejects, and switches without it', async () => {
    const large = aFakeEmbeddingProvider({
      version: LARGE,
      beforeAnswer: ({ texts }) => {
        if (texts.includes('berry')) throw new InvalidValue('text', 'something else', 'berry');
      },
    });
    const world = await aWorld(large);
    await start(world);
    await world.work();
    expect(await world.models('a', 'apple', 'berry')).toEqual([[MINI, LARGE], [MINI]]);
    expect(await world.active()).toBe(LARGE);
    const failures = new Set<string>();
    for await (const { event } of world.journal.readAll())
      if (event.type === 'KnowledgeChunkReembedFailed') failures.add(JSON.stringify(event.data));
    const failure = {
      documentId: theDocument('a'),
      chunkId: theChunk('a', 'berry'),
      embeddingVersion: LARGE,
      reason: 'text: expected something else, got "berry"',
    };
    expect([...failures]).toEqual([JSON.stringify(failure)]);
  });

  it('waits with the switch while the catalog is behind, since documents would be missing', async () => {
    const world = await aWorld();
    await start(world);
    world.behind = true;
    const stop = new AbortController();
    const stopped = expect(world.work(stop.signal)).rejects.toThrow('the platform stops');
    await world.waited(100);
    stop.abort(new Error('the platform stops'));
    await stopped;
    expect(await world.active()).toBe(MINI);
    const done = world.work();
    await world.waited(200);
    expect(await world.active()).toBe(MINI);
    world.behind = false;
    await done;
    expect(await world.active()).toBe(LARGE);
  });

  it('fails without the model that is being built, and continues without a standby model', async () => {
    const world = await aWorld();
    await start(world);
    world.providers = [aFakeEmbeddingProvider({ version: HUGE })];
    await expect(world.work()).rejects.toThrow(EmbeddingModelMismatch);
    expect(await world.active()).toBe(MINI);
    world.providers = [aFakeEmbeddingProvider({ version: LARGE })];
    await world.work();
    await world.indexed('c', ['dune'], LARGE);
    world.providers = [aFakeEmbeddingProvider({ version: HUGE })];
    await start(world);
    await world.work();
    expect(await world.active()).toBe(HUGE);
  });
});

describe('starting', () => {
  it('does nothing if the scope has the model or is being moved to it', async () => {
    const world = await aWorld(aFakeEmbeddingProvider({ version: MINI }));
    expect(await start(world)).toMatchObject({ generation: { id: 'g1', status: 'active' } });
    world.providers = [aFakeEmbeddingProvider({ version: LARGE })];
    const first = await start(world);
    expect(await start(world)).toEqual(first);
    world.providers = [aFakeEmbeddingProvider({ version: HUGE })];
    await expect(start(world)).rejects.toThrow(Conflict);
  });

  it('reports the number of documents and the progress', async () => {
    const world = await aWorld();
    await world.work();
    expect(await start(world)).toMatchObject({ documents: 2 });
    await world.vectors.apply(
      { scope: SCOPE, generation: 'g2' as never },
      [{ write: 'put', chunkId: theChunk('a', 'apple'), vector: Float32Array.of(1), attributes: {} }],
      1n as never,
    );
    const progress = () => world.scopes.progress({ ...ADMIN, roles: ['reader'] }, SCOPE.scope);
    expect(await progress()).toMatchObject({ state: 'building', total: 3, done: 1, generation: { id: 'g2' } });
    await world.work();
    // The switch is on the log, but not in the catalog yet.
    expect(await progress()).toMatchObject({ state: 'building', generation: { id: 'g2', status: 'active' } });
    await world.project();
    expect(await progress()).toMatchObject({ state: 'idle', generation: { id: 'g2', status: 'active' } });
  });

  it.each<[string, Access, unknown]>([
    ['a writer', { ...ADMIN, roles: ['writer'] }, Forbidden],
    ['an admin who may not read the scope', { ...ADMIN, teams: ['blue'] }, NotFound],
    ['an admin of another tenant', { ...ADMIN, tenant: 'other' as never }, NotFound],
  ])('is refused for %s', async (_, access, error) => {
    const world = await aWorld();
    await expect(start(world, access)).rejects.toBeInstanceOf(error);
    expect(await world.generations()).toHaveLength(1);
  });
});

describe('one document', () => {
  it('gets missing vectors for every live generation', async () => {
    const world = await aWorld();
    await start(world);
    await world.build.document(world.run(), theDocument('a'));
    expect(await world.models('a', 'apple', 'berry')).toEqual([
      [MINI, LARGE],
      [MINI, LARGE],
    ]);
    expect(await world.models('b', 'cedar')).toEqual([[MINI]]);
  });

  it('returns how many chunks got a vector, and calls no model if none is missing', async () => {
    const large = aFakeEmbeddingProvider({ version: LARGE });
    const world = await aWorld(large);
    const run = async (version = LARGE) => {
      const documents = world.documents;
      await documents.add(await documents.open(theDocument('a')), [
        { id: generationId('g9'), recipe: recipeWith({ version }), embeddingVersion: version, status: 'building' },
      ]);
      await documents.end();
      return documents.counts(generationId('g9'));
    };
    expect([await run(), await run(), await run(MINI)]).toEqual([
      { embedded: 2, chunks: 2, withoutVector: 0, tokens: 2 },
      { embedded: 0, chunks: 2, withoutVector: 0, tokens: 0 },
      { embedded: 0, chunks: 2, withoutVector: 0, tokens: 0 },
    ]);
    expect(large.calls).toHaveLength(1);
    await expect(run(HUGE)).rejects.toThrow(EmbeddingModelMismatch);
  });
});
