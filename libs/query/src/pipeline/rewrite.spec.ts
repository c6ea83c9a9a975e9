import { Unavailable } from '@palimpsest/knowledge/errors';
import { UNLIMITED } from '@palimpsest/knowledge/limits';
import { aFakeChatModel, aFakeReranker } from '@palimpsest/test-kit';
import { DirectBus } from '../../test/direct-bus.ts';
import { aChunk, reader, SearchWorld } from '../../test/search-world.ts';
import { RetrievalRecordQueue } from '../retrieval-records/retrieval-record-queue.ts';
import { SearchKnowledgeHandler } from '../search/search-knowledge.ts';
import { searchRequest } from '../search/search-request.ts';

const TEXTS = ['espresso is brewed with hot water', 'annual leave lasts six weeks', 'a locomotive burns coal'];
const queries = (...texts: readonly string[]) => aFakeChatModel({ answer: () => JSON.stringify({ queries: texts }) });

const aWorld = async (model?: ReturnType<typeof aFakeChatModel>, ms = 60_000): Promise<SearchWorld> => {
  const world = new SearchWorld();
  for (const [i, text] of TEXTS.entries()) await world.add(i + 1, text);
  if (model) world.chat = { model, ms };
  return world;
};

/** `plain`: the search is not rewritten. */
const run = (world: SearchWorld, { plain = false, ...request }: Readonly<{ plain?: boolean } & Record<string, unknown>> = {}) => {
  const records = new RetrievalRecordQueue(new DirectBus(), () => undefined);
  const ports = { ...world.ports, views: world.views, pastViews: world.pastViews };
  const search = new SearchKnowledgeHandler({ ...ports, records, quotaPolicy: UNLIMITED, version: '9.9.9' });
  return search.run(reader(), searchRequest({ query: 'vacation', ...(plain ? {} : { rewrite: 'queries' }), ...request }));
};
const scoresOf = ({ hits }: Awaited<ReturnType<typeof run>>) => hits.map(({ chunkId, score }) => [chunkId, score]);

describe('A search whose query is rewritten', () => {
  it('finds by vectors what the other wordings mean, and says what they were', async () => {
    const model = queries('annual leave', 'leave in weeks');
    const found = await run(await aWorld(model), { strategy: 'DenseOnly' });
    expect(found.hits[0]?.chunkId).toBe(aChunk(2));
    expect(found.rewritten).toEqual({
      by: 'queries',
      model: 'fake:chat+rewrite1',
      outcome: 'rewritten',
      texts: ['annual leave', 'leave in weeks'],
      detail: expect.stringContaining('2 other wordings'),
    });
    expect(found.timings.stages.find(({ stage }) => stage === 'rewrite')).toMatchObject({ candidates: 2 });
  });

  it('embeds a passage that could answer it as a passage', async () => {
    const world = await aWorld(aFakeChatModel({ answer: () => '{"passage":"annual leave lasts"}' }));
    const before = world.model.calls.length;
    const found = await run(world, { strategy: 'DenseOnly', rewrite: 'hypothetical' });
    expect(found.hits[0]?.chunkId).toBe(aChunk(2));
    expect(world.model.calls.slice(before, before + 2).map(({ texts, kind }) => [texts, kind])).toEqual([
      [['vacation'], 'query'],
      [['annual leave lasts'], 'passage'],
    ]);
  });

  it('still searches for the words of the query only', async () => {
    const found = await run(await aWorld(queries('annual leave')), { query: 'coal', explain: true });
    expect(found.hits.filter(({ explain }) => explain?.stages['lexical']).map(({ chunkId }) => chunkId)).toEqual([aChunk(3)]);
  });

  it('asks only if it is requested, and only once, also if it searches among more candidates', async () => {
    const model = queries('annual leave');
    const world = await aWorld(model);
    expect(await run(world, { plain: true })).not.toHaveProperty('rewritten');
    expect(model.calls).toEqual([]);
    for (let i = 10; i < 160; i++) await world.add(i, 'vacation is annual leave');
    const { hits, timings } = await run(world, { collapse: true, topK: 3 });
    expect(hits.length).toBeGreaterThan(1);
    expect(timings.stages.filter(({ stage }) => stage === 'fuse').length).toBeGreaterThan(1);
    expect(model.calls).toHaveLength(1);
  });

  it.each([
    ['fails', aFakeChatModel({ answer: () => Promise.reject(new Unavailable('it is away', { forCallers: true })) }), 60_000, 'it is away'],
    ['takes too long', aFakeChatModel({ answer: () => new Promise(() => undefined) }), 1, 'took longer than 1 ms'],
    ['answers in words', aFakeChatModel({ answer: () => 'Sure! Here are some.' }), 60_000, 'the chat model returned no list'],
  ])('is the search for the query alone when the model %s, and says so', async (_, model, ms, reason) => {
    const found = await run(await aWorld(model, ms), { explain: true });
    expect(scoresOf(found)).toEqual(scoresOf(await run(await aWorld(), { plain: true, explain: true })));
    expect(found.rewritten).toMatchObject({ outcome: 'skipped', texts: [], reason: expect.stringContaining(reason) });
    expect(found.rewritten?.detail).toContain(reason);
    for (const { explain } of found.hits) expect(explain?.skipped).toEqual({ rewrite: expect.stringContaining(reason) });
  });

  it('fails with an error that is no outage', async () => {
    const broken = aFakeChatModel({
      answer: () => {
        throw new TypeError('broken');
      },
    });
    await expect(run(await aWorld(broken))).rejects.toThrow('broken');
  });

  it('is refused without a chat model, and by words only', async () => {
    await expect(run(await aWorld())).rejects.toMatchObject({
      field: 'rewrite',
      message: expect.stringContaining('PALIMPSEST_CHAT_MODEL'),
    });
    const world = await aWorld(queries('annual leave'));
    expect(() => run(world, { strategy: 'SparseOnly' })).toThrow(expect.objectContaining({ code: 'InvalidValue', field: 'rewrite' }));
  });

  it('gives a reranker the query alone', async () => {
    const world = await aWorld(queries('annual leave'));
    const reranker = aFakeReranker();
    world.reranker = { reranker, candidates: 30, weight: 0.5, ms: 60_000 };
    await run(world, { strategy: 'DenseSparseRerank' });
    expect(reranker.calls.map(({ query }) => query)).toEqual(['vacation']);
  });
});
