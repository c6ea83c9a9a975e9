import { scope as scopeDecider, scopeStream } from '@palimpsest/knowledge/deciders';
import { WAITING_FOR_MODEL } from '@palimpsest/knowledge/events';
import { recipeWith, embeddingVersion } from '@palimpsest/knowledge/values';
import { aFakeEmbeddingProvider } from '@palimpsest/test-kit';
import { SCOPE, sections, World } from '../../test/world.ts';

const LARGE = embeddingVersion('fake:large/16');
const aWorld = (options?: ConstructorParameters<typeof World>[0]) => new World(options).begin();
const startGeneration = (world: World, version = LARGE) =>
  world.journal.execute(
    scopeDecider,
    scopeStream(SCOPE),
    { type: 'StartGeneration', scope: SCOPE.scope, recipe: recipeWith({ version }), now: world.now() },
    { ...SCOPE, actor: 'spec', correlationId: 'spec' },
  );

describe('a scope with several generations', () => {
  it('gets vectors from each of its models', async () => {
    const large = aFakeEmbeddingProvider({ version: LARGE });
    const world = await aWorld({ others: [large] });
    await startGeneration(world);
    const { documentId } = await world.index(sections('Apple', 'Berry'));
    expect(await world.types(documentId)).toEqual([
      'DocumentSubmitted',
      'DocumentProcessingStarted',
      'KnowledgeChunkIndexed',
      'KnowledgeChunkIndexed',
      'KnowledgeChunkReembedded',
      'KnowledgeChunkReembedded',
      'DocumentIndexed',
    ]);
    for (const { vectors } of (await world.state(documentId)).recorded.values())
      expect([...vectors.keys()]).toEqual([world.provider.version, LARGE]);
    expect(world.requested).toEqual([]);
  });

  it('requests missing vectors if a generation was started while the document was processed', async () => {
    const meanwhile: { happens?: () => Promise<unknown> } = {};
    const world = await aWorld({
      provider: aFakeEmbeddingProvider({ beforeAnswer: async () => void (await meanwhile.happens?.()) }),
      others: [aFakeEmbeddingProvider({ version: LARGE })],
    });
    const submitted = await world.submit(sections('Apple'));
    meanwhile.happens = () => startGeneration(world);
    await world.process(submitted);
    // Every chunk has the vector, or the vector was requested.
    const lacking = [...(await world.state(submitted.documentId)).recorded.values()].filter(({ vectors }) => !vectors.has(LARGE));
    expect(lacking).toHaveLength(1);
    expect(world.requested).toEqual([{ ...SCOPE, documentId: submitted.documentId, correlationId: 'request-1' }]);
  });

  it('is not blocked by a model that is not configured, unless it is the active one', async () => {
    const world = await aWorld({ others: [aFakeEmbeddingProvider({ version: LARGE })] });
    await startGeneration(world);
    world.others = [];
    const { documentId } = await world.index(sections('Apple'));
    expect((await world.state(documentId)).status).toBe('indexed');
  });

  it('defers its documents while the active model is not configured, and indexes them afterwards', async () => {
    const world = await aWorld();
    const { documentId } = await world.index(sections('Apple'));
    world.provider = aFakeEmbeddingProvider({ version: LARGE });
    const second = await world.submit(sections('Berry'));
    for (let i = 0; i < 20; i++) await world.process(second);
    expect(await world.state(documentId)).toMatchObject({ status: 'pending', version: 2, current: { version: 1 } });
    expect((await world.facts(documentId)).at(-1)?.event).toMatchObject({
      type: 'DocumentDeferred',
      data: { version: 2, reason: WAITING_FOR_MODEL, detail: expect.stringContaining('Waiting for the embedding model fake:') },
    });
    expect([world.provider.calls.length, world.parser.parsed.length]).toEqual([0, 1]);
    world.provider = aFakeEmbeddingProvider();
    await world.process(second);
    expect(await world.state(documentId)).toMatchObject({ status: 'indexed', current: { version: 2 } });
  });
});
