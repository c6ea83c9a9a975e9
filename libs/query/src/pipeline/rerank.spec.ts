import { Unavailable } from '@palimpsest/knowledge/errors';
import { UNLIMITED } from '@palimpsest/knowledge/limits';
import type { Reranker } from '@palimpsest/knowledge/models';
import { tenantId } from '@palimpsest/knowledge/values';
import { aFakeReranker } from '@palimpsest/test-kit';
import { DirectBus } from '../../test/direct-bus.ts';
import { aChunk, reader, SearchWorld } from '../../test/search-world.ts';
import { RetrievalRecordQueue } from '../retrieval-records/retrieval-record-queue.ts';
import type { RetrievalSeen } from '../search/retrieval-seen.ts';
import { SearchKnowledgeHandler, type SearchPorts } from '../search/search-knowledge.ts';
import { searchRequest } from '../search/search-request.ts';
import type { ConfiguredReranker } from './rerank.ts';

type FakeRerankAnswer = NonNullable<NonNullable<Parameters<typeof aFakeReranker>[0]>['answer']>;

const TEXTS = ['espresso is brewed with hot water', 'water for the garden', 'hot water, and nothing else', 'a locomotive burns coal'];

const aWorld = async (reranker?: Reranker, over: Partial<ConfiguredReranker> = {}): Promise<SearchWorld> => {
  const world = new SearchWorld();
  for (const [i, text] of TEXTS.entries()) await world.add(i + 1, text);
  if (reranker) world.reranker = { reranker, candidates: 30, weight: 0.5, ms: 60_000, ...over };
  return world;
};

/** Prefers the passages that contain `word`, and counts its calls. */
const preferring = (word: string) => aFakeReranker({ answer: ({ passages }) => passages.map(({ text }) => Number(text.includes(word))) });

const run = (world: SearchWorld, request: object = {}, access = reader(), observed: Pick<SearchPorts, 'observeRetrieval'> = {}) => {
  const records = new RetrievalRecordQueue(new DirectBus(), () => undefined);
  const ports = { ...world.ports, views: world.views, pastViews: world.pastViews };
  const search = new SearchKnowledgeHandler({ ...ports, records, quotaPolicy: UNLIMITED, version: '9.9.9', ...observed });
  return search.run(access, searchRequest({ query: 'hot water', strategy: 'DenseSparseRerank', ...request }));
};

const chunksOf = ({ hits }: Awaited<ReturnType<typeof run>>) => hits.map(({ chunkId }) => chunkId);

describe('A search with a reranker', () => {
  it('blends its scores with those of the search, and explains both', async () => {
    const world = await aWorld(preferring('coal'), { weight: 0.9 });
    const found = await run(world, { explain: true, topK: 2 });
    expect(chunksOf(found)).toEqual([aChunk(4), aChunk(1)]);
    expect(found.reranked).toMatchObject({ reranker: 'fake:overlap', outcome: 'blended', weight: 0.9, candidates: 4 });
    const [best] = found.hits;
    expect(best?.explain).toMatchObject({
      stages: { rerank: { rank: 1, score: best?.score } },
      fusion: {
        value: best?.score,
        parts: [
          { label: expect.stringMatching(/^0\.1 × search .* \(rank 4\)$/) },
          { label: expect.stringMatching(/^0\.9 × fake:overlap .* \(rank 1, score 1\)$/) },
        ],
      },
    });
    expect(best?.explain).not.toHaveProperty('skipped');
  });

  it('gives it more results than the caller wants, in the order of the search', async () => {
    const reranker = preferring('garden');
    await run(await aWorld(reranker, { candidates: 3 }), { topK: 1 });
    const unranked = await run(await aWorld(), { strategy: 'DenseSparseHybrid', topK: 3 });
    expect(reranker.calls.map(({ query, passages }) => [query, passages.map(({ text }) => text)])).toEqual([
      ['hot water', unranked.hits.map(({ text }) => text)],
    ]);
  });

  it('gives it as many as the caller wants, if these are more', async () => {
    const reranker = preferring('garden');
    expect(chunksOf(await run(await aWorld(reranker, { candidates: 2 }), { topK: 4 }))).toHaveLength(4);
    expect(reranker.calls[0]?.passages).toHaveLength(4);
  });

  it('gives it no more if a later stage needs more texts; the others follow, with lower scores', async () => {
    const reranker = aFakeReranker({ answer: ({ passages }) => passages.map((_, i) => i) });
    const world = await aWorld(reranker, { candidates: 2 });
    await world.add(5, TEXTS[0] ?? '');
    const { hits, reranked } = await run(world, { query: TEXTS[0], topK: 2, collapse: true, explain: true });
    expect([reranked?.candidates, ...reranker.calls.map(({ passages }) => passages.length)]).toEqual([2, 2]);
    expect(hits.map(({ similar }) => similar?.count)).toEqual([1, undefined]);
    const [best, next] = hits;
    expect(next?.explain?.fusion).toMatchObject({ label: 'not reranked: moved below the reranked results', value: next?.score });
    expect(next?.score).toBeLessThan(best?.score ?? NaN);
  });

  it('asks it only for this strategy', async () => {
    const reranker = preferring('garden');
    const world = await aWorld(reranker);
    for (const strategy of ['DenseSparseHybrid', 'DenseOnly', 'SparseOnly'])
      expect(await run(world, { strategy })).not.toHaveProperty('reranked');
    expect(reranker.calls).toEqual([]);
  });

  it('is refused if there is none', async () =>
    expect(run(await aWorld())).rejects.toMatchObject({
      code: 'InvalidValue',
      field: 'strategy',
      message: expect.stringContaining('PALIMPSEST_RERANKER'),
    }));

  it('asks it nothing if nothing was found', async () => {
    const reranker = preferring('garden');
    const found = await run(await aWorld(reranker), {}, reader({ tenant: tenantId('other') }));
    expect([found.hits, found.reranked?.outcome, reranker.calls]).toEqual([[], 'abstained', []]);
  });

  it.each<[string, Reranker, Partial<ConfiguredReranker>, string, string]>([
    [
      'fails',
      aFakeReranker({ answer: () => Promise.reject(new Unavailable('the endpoint is away', { forCallers: true })) }),
      {},
      'skipped',
      'the endpoint is away',
    ],
    [
      'fails in words for operators',
      aFakeReranker({ answer: () => Promise.reject(new Unavailable('10.0.0.7 refused')) }),
      {},
      'skipped',
      'what it depends on is not available',
    ],
    ['takes too long', aFakeReranker({ answer: () => new Promise(() => undefined) }), { ms: 1 }, 'skipped', 'took longer than 1 ms'],
    ['gives too few scores', aFakeReranker({ answer: () => [1] }), {}, 'skipped', 'the reranker gave no score for each passage'],
    [
      'gives a score that is no number',
      aFakeReranker({ answer: ({ passages }) => passages.map(() => NaN) }),
      {},
      'skipped',
      'the reranker gave no score for each passage',
    ],
    [
      'cannot tell the results apart',
      aFakeReranker({ answer: ({ passages }) => passages.map(() => 0.5) }),
      {},
      'abstained',
      'its scores of all results are about the same',
    ],
  ])('has the order and the scores of the search when it %s, and says so', async (_, reranker, over, outcome, reason) => {
    const found = await run(await aWorld(reranker, over), { explain: true, topK: 3 });
    const hybrid = await run(await aWorld(), { strategy: 'DenseSparseHybrid', explain: true, topK: 3 });
    expect(found.hits.map(({ chunkId, score }) => [chunkId, score])).toEqual(hybrid.hits.map(({ chunkId, score }) => [chunkId, score]));
    expect(found.reranked).toMatchObject({ outcome, reason, candidates: 4, detail: expect.stringContaining(reason) });
    for (const { explain } of found.hits) {
      expect(explain?.skipped).toEqual(outcome === 'skipped' ? { rerank: reason } : undefined);
      expect(explain?.stages).not.toHaveProperty('rerank');
    }
    const { note } = found.timings.stages.find(({ stage }) => stage === 'rerank') ?? {};
    expect(note).toBe(outcome === 'skipped' ? `skipped: ${reason}` : undefined);
  });

  it.each<[string, FakeRerankAnswer, Partial<ConfiguredReranker>, Pick<RetrievalSeen, 'skipped' | 'reranking'>]>([
    ['blended', ({ passages }) => passages.map((_, i) => i), {}, { skipped: {}, reranking: 'blended' }],
    ['flat', ({ passages }) => passages.map(() => 1), {}, { skipped: {}, reranking: 'abstained' }],
    ['nonsense', () => [], {}, { skipped: { rerank: 'unavailable' }, reranking: 'skipped' }],
    ['too late', () => new Promise(() => undefined), { ms: 1 }, { skipped: { rerank: 'over-budget' }, reranking: 'skipped' }],
  ])('says to its observer how it ended with scores that are %s', async (_, answer, over, expected) => {
    const seen: RetrievalSeen[] = [];
    await run(await aWorld(aFakeReranker({ answer }), over), {}, reader(), {
      observeRetrieval: async (search, of) => {
        const found = await search();
        seen.push(of(found));
        return found;
      },
    });
    expect(seen).toEqual([expect.objectContaining(expected)]);
  });

  it('fails with an error that is no outage: nothing hides a fault of the program', async () => {
    const broken = aFakeReranker({
      answer: () => {
        throw new TypeError('broken');
      },
    });
    await expect(run(await aWorld(broken))).rejects.toThrow('broken');
  });

  it('never gives it a passage of another tenant or scope, also when all search at the same time', async () => {
    const reranker = preferring('water');
    const [acme, other] = [reader(), reader({ tenant: tenantId('other') })];
    const world = new SearchWorld();
    world.reranker = { reranker, candidates: 30, weight: 0.5, ms: 60_000 };
    for (const [i, { tenant }] of [acme, other, acme, other].entries()) await world.add(i + 1, `water of ${tenant} ${i}`, { tenant });
    await world.add(9, 'water of the blue team', { scope: 'team:blue' });
    await Promise.all([acme, other, acme, other, acme].map((access) => run(world, { query: `water of ${access.tenant}` }, access)));
    expect(reranker.calls).toHaveLength(5);
    for (const { query, passages } of reranker.calls) {
      expect(passages).toHaveLength(2);
      for (const { text } of passages) expect(text).toContain(query);
    }
  });
});
