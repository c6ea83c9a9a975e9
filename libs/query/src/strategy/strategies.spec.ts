import { SYSTEM } from '@palimpsest/foundation';
import type { Access } from '@palimpsest/knowledge/access';
import { knowledgeBase as decider, knowledgeBaseStream } from '@palimpsest/knowledge/deciders';
import { Conflict, NotFound, Unavailable } from '@palimpsest/knowledge/errors';
import { UNLIMITED, type QuotaPolicy } from '@palimpsest/knowledge/limits';
import type { Reranker } from '@palimpsest/knowledge/models';
import { knowledgeBaseId, tenantId, vectorScope, type Strategy } from '@palimpsest/knowledge/values';
import { aFakeReranker, aJournal, InMemoryEventLog } from '@palimpsest/test-kit';
import { DirectBus } from '../../test/direct-bus.ts';
import { ACME, aDocument, DEPLOYMENT_SCOPE, reader, SearchWorld } from '../../test/search-world.ts';
import type { ConfiguredReranker } from '../pipeline/rerank.ts';
import { searchStages } from '../pipeline/search-stages.ts';
import { RetrievalRecordQueue } from '../retrieval-records/retrieval-record-queue.ts';
import { SearchKnowledgeHandler } from '../search/search-knowledge.ts';
import { searchRequest, type AskedSearch } from '../search/search-request.ts';
import { EvaluateStrategy, GetStrategy, SetStrategy, Strategies, type KnowledgeBaseStrategy } from './strategies.ts';

const HANDBOOK = knowledgeBaseId('handbook');
const QUERIES = 60;
/** One document has this word, and one does not, which the search finds first. */
const BETTER = 'recommended';

const preferring = (test: (text: string) => boolean) =>
  aFakeReranker({ answer: ({ passages }) => passages.map(({ text }) => Number(test(text))) });
const helpful = () => preferring((text) => text.includes(BETTER));

const admin = (over: Partial<Access> = {}): Access => reader({ roles: ['admin'], ...over });

/** `relevant`: the document that was judged to answer the query; default: the better one. */
type Given = Readonly<{
  relevant?: 'better' | 'first';
  reranker?: Reranker;
  configured?: Partial<ConfiguredReranker>;
  judged?: number;
  quotaPolicy?: QuotaPolicy;
}>;

/** A knowledge base with two documents and 60 judged queries about them. */
const aPlatform = async ({ relevant = 'better', reranker, configured, judged = QUERIES, quotaPolicy = UNLIMITED }: Given = {}) => {
  const world = new SearchWorld();
  await world.add(1, `the topic in the ${BETTER} guide, which has more words than the other one`);
  await world.add(2, 'topic topic');
  if (reranker) world.reranker = { reranker, candidates: 30, weight: 0.9, ms: 60_000, ...configured };
  const log = new InMemoryEventLog();
  const journal = aJournal(log);
  const settings = { name: 'Handbook', description: '', chunking: { markdown: {}, tokens: {}, sheets: {}, code: {} } };
  await journal.execute(
    decider,
    knowledgeBaseStream(ACME, HANDBOOK),
    { type: 'Create', id: HANDBOOK, scope: DEPLOYMENT_SCOPE, settings, now: '2026-01-01T00:00:00.000Z' },
    { tenant: ACME, scope: DEPLOYMENT_SCOPE, actor: 'test', correlationId: 'c' },
  );
  const queries = Array.from({ length: judged }, (_, i) => ({
    id: `q${i}`,
    text: `topic ${i}`,
    synthetic: false,
    relevant: new Map([[aDocument(relevant === 'better' ? 1 : 2), 1]]),
  }));
  const ports = {
    journal,
    views: world.views,
    stages: searchStages(world.ports),
    golden: { ofScope: async () => [{ name: 'people', version: 1, queries }] },
    settings: { gateQueries: 400 },
    system: SYSTEM,
  };
  const strategies = new Strategies({ ...ports, reranker: world.reranker });
  const search = new SearchKnowledgeHandler({
    ...{ ...world.ports, views: world.views, pastViews: world.pastViews, quotaPolicy, version: '9.9.9' },
    records: new RetrievalRecordQueue(new DirectBus(), () => undefined),
  });
  const send = async (message: GetStrategy | EvaluateStrategy | SetStrategy) => {
    const handler = strategies.handlers.find((each) => message instanceof each.message);
    return (await handler?.run(message as never)) as KnowledgeBaseStrategy;
  };
  const caller = (access: Access) => ({ access, correlationId: 'c' });
  return {
    ...{ world, strategies, log },
    get: (access = admin()) => send(new GetStrategy(caller(access), { id: HANDBOOK })),
    evaluate: (strategy: Strategy = 'DenseSparseRerank', access = admin(), id = HANDBOOK) =>
      send(new EvaluateStrategy(caller(access), { id, strategy, seed: 1 })),
    set: async (strategy: Strategy, over: Readonly<{ force?: boolean; reason?: string }> = {}) => {
      const shown = await send(new SetStrategy(caller(admin()), { id: HANDBOOK, strategy, ...over }));
      await world.setStrategy('handbook', shown.default);
      return shown;
    },
    search: (asked: Partial<AskedSearch> = {}, access = reader()) => {
      const { strategy: _, ...plain } = searchRequest({ query: 'topic', topK: 2 });
      return search.run(access, { ...plain, ...asked });
    },
  };
};

const USED = { strategy: 'DenseSparseRerank', reranker: { version: 'fake:overlap', weight: 0.9, candidates: 30 } };
const HYBRID = { strategy: 'DenseSparseHybrid' };

describe('The evaluation of a reranker', () => {
  it('admits one that helps: it can be set, and searches that name no strategy use it', async () => {
    const { evaluate, get, set, search } = await aPlatform({ reranker: helpful() });
    const { evaluation, used } = await evaluate();
    expect(evaluation).toMatchObject({
      ...USED,
      ...{ against: HYBRID, verdict: 'not-worse', seed: 1, margin: 0.02, unsettled: 0 },
      measure: {
        source: 'golden',
        measure: 'nDCG@10',
        queries: QUERIES,
        before: expect.closeTo(0.631, 3),
        after: 1,
        better: QUERIES,
        worse: 0,
      },
      golden: { used: QUERIES, synthetic: 0, unusable: 0 },
      reranked: { blended: QUERIES, abstained: 0, skipped: 0 },
      latency: { before: { p50: expect.any(Number) }, after: { p95: expect.any(Number) } },
      reasons: [expect.stringMatching(/^nDCG@10 changed by \+0\.3691 .* over 60 queries: a loss beyond 0\.02 is ruled out$/)],
    });
    expect(used).toEqual(HYBRID);
    expect((await search()).reranked).toBeUndefined();

    expect(await set('DenseSparseRerank')).toMatchObject({ default: USED, used: USED });
    const found = await search();
    expect(found.reranked).toMatchObject({ outcome: 'blended' });
    expect(found.hits[0]?.text).toContain(BETTER);
    expect(found.defaultStrategy).toEqual({ used: 'DenseSparseRerank', detail: expect.stringMatching(/is the default strategy of/) });
    const named = await search({ strategy: 'DenseSparseHybrid' });
    expect(named).not.toHaveProperty('defaultStrategy');
    expect(named.reranked).toBeUndefined();

    expect(await set('DenseSparseHybrid')).toMatchObject({ default: HYBRID, used: HYBRID });
    expect((await search()).reranked).toBeUndefined();
    expect(await get()).toMatchObject({ default: HYBRID, evaluation: { verdict: 'not-worse' } });
  });

  it('refuses one that hurts, unless a person forces it with a reason', async () => {
    const { evaluate, set, search } = await aPlatform({ reranker: helpful(), relevant: 'first' });
    const { evaluation } = await evaluate();
    expect(evaluation).toMatchObject({
      verdict: 'worse',
      measure: { before: 1, after: expect.closeTo(0.631, 3), better: 0, worse: QUERIES },
    });
    await expect(set('DenseSparseRerank')).rejects.toThrow(/was evaluated as worse \(nDCG@10 changed by -0\.3691/);
    await expect(set('DenseSparseRerank', { force: true, reason: ' ' })).rejects.toMatchObject({ code: 'InvalidValue', field: 'reason' });
    expect((await search()).reranked).toBeUndefined();
    expect(await set('DenseSparseRerank', { force: true, reason: 'the pilot group asked for it' })).toMatchObject({ used: USED });
    expect((await search()).reranked).toMatchObject({ outcome: 'blended' });
  });

  it('compares any strategy with the one in use', async () => {
    const { evaluate, set } = await aPlatform({ reranker: helpful() });
    await evaluate();
    await set('DenseSparseRerank');
    const { evaluation } = await evaluate('SparseOnly');
    expect(evaluation).toMatchObject({ strategy: 'SparseOnly', against: USED, verdict: 'worse', measure: { before: 1, worse: QUERIES } });
    expect(evaluation).not.toHaveProperty('reranked');
    await expect(set('SparseOnly')).rejects.toThrow(/SparseOnly was evaluated as worse/);
  });

  it.each<[string, Reranker, Partial<ConfiguredReranker>]>([
    ['is away', aFakeReranker({ answer: () => Promise.reject(new Unavailable('away', { forCallers: true })) }), {}],
    ['takes too long', aFakeReranker({ answer: () => new Promise(() => undefined) }), { ms: 1 }],
    ['answers nonsense', aFakeReranker({ answer: () => [NaN] }), {}],
  ])('never admits one that %s, although the searches without it are as good', async (_, reranker, configured) => {
    const { evaluate, set } = await aPlatform({ reranker, configured });
    const { evaluation } = await evaluate();
    expect(evaluation).toMatchObject({
      verdict: 'undecided',
      measure: { verdict: 'not-worse', difference: 0 },
      reranked: { blended: 0, abstained: 0, skipped: QUERIES },
      reasons: [expect.any(String), 'the reranker was skipped in 60 of 60 searches, and at most 5 % are accepted'],
    });
    await expect(set('DenseSparseRerank')).rejects.toThrow(Conflict);
  });

  it('decides nothing with too few judged queries, or none of this knowledge base', async () => {
    const few = await aPlatform({ reranker: helpful(), judged: 49 });
    expect((await few.evaluate()).evaluation).toMatchObject({ verdict: 'undecided', additionalQueries: 1, golden: { used: 49 } });
    await expect(few.set('DenseSparseRerank')).rejects.toThrow(/49 queries are too few: at least 50 are needed/);
    const none = await aPlatform({ reranker: helpful(), judged: 0 });
    expect((await none.evaluate()).evaluation).toMatchObject({
      ...{ verdict: 'undecided', additionalQueries: 50 },
      reasons: [expect.stringMatching(/^no judged query of the knowledge base/)],
    });
  });

  it('is refused without a reranker, for what is in use, and while another one of the tenant runs', async () => {
    await expect((await aPlatform()).evaluate()).rejects.toMatchObject({ code: 'InvalidValue', field: 'strategy' });
    const { evaluate } = await aPlatform({ reranker: helpful(), judged: 1 });
    await expect(evaluate('DenseSparseHybrid')).rejects.toThrow('searches of knowledge base "handbook" use DenseSparseHybrid already');
    const first = evaluate();
    await expect(evaluate('DenseOnly')).rejects.toThrow(/an evaluation of a strategy of this tenant is running/);
    await first;
    await expect(evaluate('DenseOnly')).resolves.toBeDefined();
  });

  it('ends with its process', async () => {
    const { evaluate, strategies, get } = await aPlatform({ reranker: helpful() });
    const running = evaluate();
    const refused = expect(running).rejects.toThrow(/the process that evaluated ended/);
    // It runs from here on.
    await expect(evaluate()).rejects.toThrow(Conflict);
    await strategies.stop();
    await refused;
    expect(await get()).not.toHaveProperty('evaluation');
  });

  it('counts a document of another knowledge base as one that does not exist', async () => {
    const { world, evaluate } = await aPlatform({ reranker: helpful(), judged: 2 });
    await world.hide(1);
    await world.add(1, 'the topic elsewhere', { knowledgeBase: 'notes' });
    expect((await evaluate()).evaluation).toMatchObject({ golden: { used: 0, unusable: 2 }, verdict: 'undecided' });
  });

  it.each([
    ['another tenant', { tenant: tenantId('other') }],
    ['a knowledge base that does not exist', {}],
  ])('is refused to %s as one that does not exist', async (_, over) => {
    const { evaluate } = await aPlatform({ reranker: helpful() });
    const id = knowledgeBaseId(Object.keys(over).length === 0 ? 'nothing' : 'handbook');
    await expect(evaluate('DenseOnly', admin(over), id)).rejects.toThrow(NotFound);
  });
});

describe('A search that names no strategy', () => {
  it('uses the common one and says so, when the reranker that was admitted is another one or gone', async () => {
    const { world, set, evaluate } = await aPlatform({ reranker: helpful() });
    await evaluate();
    await set('DenseSparseRerank');
    const searchWith = (reranker: ConfiguredReranker | undefined) =>
      new SearchKnowledgeHandler({
        ...{ ...world.ports, reranker, views: world.views, pastViews: world.pastViews, quotaPolicy: UNLIMITED, version: '9.9.9' },
        records: new RetrievalRecordQueue(new DirectBus(), () => undefined),
      });
    const { strategy: _, ...plain } = searchRequest({ query: 'topic' });
    for (const reranker of [undefined, { reranker: helpful(), candidates: 30, weight: 0.5, ms: 60_000 }]) {
      const found = await searchWith(reranker).run(reader(), plain);
      expect(found.reranked).toBeUndefined();
      expect(found.defaultStrategy).toMatchObject({ used: 'DenseSparseHybrid', detail: expect.stringMatching(/evaluate it first$/) });
    }
  });

  it('uses the common one if it covers knowledge bases with different ones', async () => {
    const { world, set, evaluate, search } = await aPlatform({ reranker: helpful() });
    await evaluate();
    await set('DenseSparseRerank');
    await world.add(900, 'topic of the red team', { scope: 'team:red', knowledgeBase: 'red' });
    await world.add(901, 'topic of the blue team', { scope: 'team:blue', knowledgeBase: 'blue' });
    const all = await search();
    expect(all.reranked).toBeUndefined();
    expect(all.defaultStrategy?.detail).toMatch(/handbook: DenseSparseRerank .*; red: DenseSparseHybrid\)$/);
    // What the caller may not read neither counts nor is named.
    expect(all.defaultStrategy?.detail).not.toContain('blue');
    expect((await search({ knowledgeBases: [HANDBOOK] })).reranked).toMatchObject({ outcome: 'blended' });
    expect((await search({ scopes: [vectorScope('deployment')] })).reranked).toMatchObject({ outcome: 'blended' });
    expect((await search({}, reader({ teams: [] }))).reranked).toMatchObject({ outcome: 'blended' });
  });

  it('is downgraded like one that names it', async () => {
    const { set, evaluate, search } = await aPlatform({
      reranker: helpful(),
      quotaPolicy: {
        ...UNLIMITED,
        downgrade: (_, asked) => (asked === 'DenseSparseRerank' ? { asked, used: 'SparseOnly', detail: 'not in this tier' } : undefined),
      },
    });
    await evaluate();
    await set('DenseSparseRerank');
    expect(await search()).toMatchObject({ downgraded: { used: 'SparseOnly' }, defaultStrategy: { used: 'SparseOnly' } });
  });

  it('uses what was set at its moment', async () => {
    const { world, set, evaluate, search } = await aPlatform({ reranker: helpful() });
    const before = new SearchWorld(world.keys);
    await before.add(1, 'topic');
    world.past.set(before.view.position(), before.view);
    await evaluate();
    await set('DenseSparseRerank');
    const then = await search({ asOf: { position: before.view.position() } });
    expect([then.reranked, then.defaultStrategy]).toEqual([undefined, undefined]);
    expect((await search()).reranked).toBeDefined();
  });
});
