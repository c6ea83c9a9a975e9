import { jest } from '@jest/globals';
import { decodedVectors, RecordedRequests } from '@palimpsest/contracts';
import { Unavailable } from '@palimpsest/knowledge/errors';
import { UNLIMITED } from '@palimpsest/knowledge/limits';
import { embeddingVersion, recipeWith, vectorScope } from '@palimpsest/knowledge/values';
import { aFakeEmbeddingProvider } from '@palimpsest/test-kit';
import { DirectBus } from '../../test/direct-bus.ts';
import { ACME, aChunk, reader, SearchWorld } from '../../test/search-world.ts';
import { RetrievalRecordQueue } from '../retrieval-records/retrieval-record-queue.ts';
import { SearchKnowledgeHandler } from '../search/search-knowledge.ts';
import { searchRequest } from '../search/search-request.ts';
import { retrievalRecordOf } from '../search/retrieval-record-of.ts';
import { runSearch } from './run-search.ts';
import { searchStages, type StagePorts } from './search-stages.ts';

const TEXTS = ['espresso is brewed with hot water', 'water for the garden', 'hot water, and nothing else', 'a locomotive burns coal'];
const SECOND = embeddingVersion('fake:second/64');
/** To the second model, the texts of the companion are what it stores: here they decide what it prefers. */
const PREFERS_COAL = { 1: 'garden', 2: 'garden tools', 3: 'garden', 4: 'hot water' };

const aWorld = async (over: Partial<NonNullable<StagePorts['reranker']>> = {}): Promise<SearchWorld> => {
  const world = new SearchWorld();
  for (const [i, text] of TEXTS.entries()) await world.add(i + 1, text);
  world.reranker = { reranker: 'companion', candidates: 30, weight: 0.9, ms: 60_000, ...over };
  return world;
};

const withCompanion = async (
  texts: Readonly<Record<number, string>> = PREFERS_COAL,
  second = aFakeEmbeddingProvider({ version: SECOND }),
) => {
  const world = await aWorld();
  world.configured = [world.model, second];
  await world.build(second, texts, { companion: true });
  return { world, second };
};

const run = (world: SearchWorld, request: object = {}, access = reader()) => {
  const records = new RetrievalRecordQueue(new DirectBus(), () => undefined);
  const ports = { ...world.ports, views: world.views, pastViews: world.pastViews };
  const search = new SearchKnowledgeHandler({ ...ports, records, quotaPolicy: UNLIMITED, version: '9.9.9' });
  return search.run(access, searchRequest({ query: 'hot water', strategy: 'DenseSparseRerank', ...request }));
};
const chunksOf = ({ hits }: Awaited<ReturnType<typeof run>>) => hits.map(({ chunkId }) => chunkId);
const unranked = async (world: SearchWorld) => chunksOf(await run(world, { strategy: 'DenseSparseHybrid' }));

describe('A search that a companion reranks', () => {
  it('blends the cosines of its stored vectors with the scores of the search, and embeds only the query', async () => {
    const { world, second } = await withCompanion();
    const embed = jest.spyOn(second, 'embed');
    expect((await unranked(world))[0]).not.toBe(aChunk(4));
    expect(embed).not.toHaveBeenCalled();
    const found = await run(world, { explain: true });
    expect(chunksOf(found)[0]).toBe(aChunk(4));
    expect(found.reranked).toMatchObject({ reranker: SECOND, outcome: 'blended', weight: 0.9, candidates: 4 });
    expect(found.reranked).not.toHaveProperty('unscored');
    expect(found.hits[0]?.explain?.fusion.parts).toMatchObject([
      {},
      { label: expect.stringMatching(/^0\.9 × fake:second\/64 .* \(rank 1, score 1\)$/) },
    ]);
    expect(embed.mock.calls).toEqual([[['hot water'], 'query']]);
  });

  it('neither raises nor lowers a result without a vector, and counts it', async () => {
    const { world } = await withCompanion({ 1: 'garden', 2: 'hot water' });
    const { reranked, hits } = await run(world, { explain: true });
    expect(reranked).toMatchObject({
      outcome: 'blended',
      candidates: 4,
      unscored: 2,
      detail: expect.stringContaining('2 of them have no vector'),
    });
    const third = hits.find(({ chunkId }) => chunkId === aChunk(3));
    const [own, other] = third?.explain?.fusion.parts ?? [];
    expect(other?.label).toMatch(/no score: that of the search counts/);
    expect((own?.value ?? NaN) / 0.1).toBeCloseTo((other?.value ?? NaN) / 0.9, 12);
  });

  it('scores only results that the caller may read', async () => {
    const { world } = await withCompanion();
    const search = jest.spyOn(world.vectors, 'search');
    await run(world, { topK: 1 });
    const asked = search.mock.calls.filter(([{ generation }]) => generation === 'g2');
    expect(asked.map(([, , { k, chunks }]) => [k, chunks && 'only' in chunks ? chunks.only.length / 4 : undefined])).toEqual([[4, 4]]);
    const other = await run(world, {}, reader({ tenant: 'other' as never }));
    expect([other.hits, other.reranked?.outcome]).toEqual([[], 'skipped']);
    expect(search.mock.calls.filter(([{ generation }]) => generation === 'g2')).toHaveLength(1);
  });

  it('compares cosines of different models by how far they stand out in their scopes', async () => {
    const { world, second } = await withCompanion();
    const [red, third] = [vectorScope('team:red'), aFakeEmbeddingProvider({ version: embeddingVersion('fake:third/32') })];
    await world.add(5, 'hot water of the red team', { scope: red });
    await world.add(6, 'tea', { scope: red });
    await world.build(third, { 5: 'garden', 6: 'hot water' }, { companion: true, in: red });
    world.configured = [world.model, second, third];
    const spread = jest.spyOn(world.vectors, 'spread');
    const { reranked, hits } = await run(world, { explain: true });
    expect(reranked).toMatchObject({ reranker: 'fake:second/64 + fake:third/32', outcome: 'blended', candidates: 6 });
    expect(spread.mock.calls.filter(([{ generation }]) => generation === 'g2')).toHaveLength(2);
    const inRed = hits.filter(({ scope }) => scope === red).map(({ chunkId }) => chunkId);
    expect(inRed).toEqual([aChunk(6), aChunk(5)]);
  });

  it.each<[string, (world: SearchWorld) => Promise<unknown> | unknown, string]>([
    ['no searched scope has one', (world) => world.retire(), 'no searched scope has a companion for its chunks'],
    [
      'its model is missing here',
      (world) => void (world.configured = [world.model]),
      `the model ${SECOND} of a companion is not configured here`,
    ],
    [
      'its model is away',
      (world) =>
        world.configured.slice(1).map((model) => jest.spyOn(model, 'embed').mockRejectedValue(new Unavailable('10.0.0.7 refused'))),
      'what it depends on is not available',
    ],
  ])('stays in the order of the search, and says so, if %s', async (_, change, reason) => {
    const { world } = await withCompanion();
    const before = await unranked(world);
    await change(world);
    const found = await run(world);
    expect(found.reranked).toMatchObject({ outcome: 'skipped', reason });
    expect(chunksOf(found)).toEqual(before);
  });

  it('says so if it has no vector of any result', async () => {
    const { world } = await withCompanion({ 9: 'hot water' });
    expect((await run(world)).reranked).toMatchObject({ outcome: 'skipped', reason: 'it has no vector of these results' });
  });

  it('does not use one with other chunks, or with the model of the search', async () => {
    const other = await aWorld();
    const second = aFakeEmbeddingProvider({ version: SECOND });
    other.configured = [other.model, second];
    const chunking = { ...recipeWith({ version: SECOND }).chunking, settings: { markdown: { chunkSize: 100 } } as never };
    await other.build(second, PREFERS_COAL, { companion: true, recipe: recipeWith({ version: SECOND }, undefined, chunking) });
    const same = await aWorld();
    await same.build(same.model, PREFERS_COAL, { companion: true });
    for (const world of [other, same])
      expect((await run(world)).reranked).toMatchObject({ outcome: 'skipped', reason: 'no searched scope has a companion for its chunks' });
  });

  it('leaves the vector of its model in the record, so that a search that is run again needs no model', async () => {
    const { world, second } = await withCompanion();
    const request = searchRequest({ query: 'hot water', strategy: 'DenseSparseRerank' });
    const start = { request, access: reader(), view: world.view };
    const searched = await runSearch(searchStages(world.ports), start);
    const sealing = {
      cipher: await world.keys.cipher({ tenant: ACME, scope: vectorScope('deployment') }),
      keyScope: vectorScope('deployment'),
      withQuery: true,
    };
    const runtime = { palimpsest: '1', node: '24', platform: 'linux', analyser: 'a' };
    const { data } = retrievalRecordOf({ request, searched, traceId: 't', runtime, retrievedAt: '2026-01-01T00:00:00.000Z' }, sealing);
    const { sealed } = await new RecordedRequests(world.keys, ACME).open(data);
    const vectors = decodedVectors(sealed);
    expect([...vectors.keys()].sort()).toEqual([world.model.version, SECOND].sort());
    const embed = jest.spyOn(second, 'embed');
    const known = { vectors, ...(data.reranking ? { reranking: data.reranking } : {}) };
    const again = await runSearch(searchStages(world.ports, known), start);
    expect(again.hits).toEqual(searched.hits);
    expect(again.reranked).toEqual(searched.reranked);
    expect(embed).not.toHaveBeenCalled();
  });
});
