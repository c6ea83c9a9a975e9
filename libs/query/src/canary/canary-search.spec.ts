import { DEFAULT_CANARY_THRESHOLDS, type CanaryEndReason } from '@palimpsest/knowledge/canary';
import { scopeStream } from '@palimpsest/knowledge/deciders';
import { Unavailable } from '@palimpsest/knowledge/errors';
import type { ScopeEvent } from '@palimpsest/knowledge/events';
import { UNLIMITED } from '@palimpsest/knowledge/limits';
import { embeddingVersion, generationId, type Position } from '@palimpsest/knowledge/values';
import { SYSTEM } from '@palimpsest/foundation';
import { aFakeEmbeddingProvider, aJournal, InMemoryEventLog, type FakeEmbeddingProvider } from '@palimpsest/test-kit';
import { DirectBus } from '../../test/direct-bus.ts';
import { ACME, DEPLOYMENT_SCOPE, reader, SearchWorld } from '../../test/search-world.ts';
import { runSearch } from '../pipeline/run-search.ts';
import { searchStages, type SearchStages } from '../pipeline/search-stages.ts';
import { RetrievalRecordQueue } from '../retrieval-records/retrieval-record-queue.ts';
import { SearchKnowledgeHandler } from '../search/search-knowledge.ts';
import { searchRequest } from '../search/search-request.ts';
import type { CanaryRouting } from './canary-routing.ts';
import { LiveCanaries } from './live-canaries.ts';

const SCOPE = { tenant: ACME, scope: DEPLOYMENT_SCOPE };
const [G1, G2] = [generationId('g1'), generationId('g2')];
const NEW = embeddingVersion('fake:new/16');
const TEXTS = { 1: 'espresso is brewed with hot water', 2: 'a locomotive burns coal' };

const aWorld = async (options: { newModel?: FakeEmbeddingProvider; configured?: boolean } = {}) => {
  const world = new SearchWorld();
  for (const [number, text] of Object.entries(TEXTS)) await world.add(Number(number), text);
  const model = options.newModel ?? aFakeEmbeddingProvider({ version: NEW });
  await world.build(model, TEXTS);
  if (options.configured !== false) world.configured = [world.model, model];
  return world;
};
const everyone: CanaryRouting = { generationFor: () => G2 };
const search = (world: SearchWorld, canaries: CanaryRouting = everyone, request: object = {}, stages = searchStages(world.ports)) =>
  runSearch(stages, {
    request: searchRequest({ query: 'espresso', explain: true, ...request }),
    access: reader(),
    view: world.view,
    canaries,
  });
const generationOf = ({ targets }: Awaited<ReturnType<typeof search>>) => targets.searchable.map(({ partition }) => partition.generation);

describe('a search of a caller in a canary', () => {
  it('is answered by the new generation alone, and explained', async () => {
    const world = await aWorld();
    const searched = await search(world);
    expect(generationOf(searched)).toEqual([G2]);
    expect([...searched.queryVectors.keys()]).toEqual([NEW]);
    expect(searched.hits[0]?.explain?.generation).toEqual({ generation: 'g2', embeddingVersion: NEW, canary: true });
    const other = await search(world, { generationFor: () => undefined });
    expect([...other.queryVectors.keys()]).toEqual([world.model.version]);
    expect(other.hits[0]?.explain?.generation).toEqual({ generation: 'g1', embeddingVersion: world.model.version });
  });

  it.each(['DenseOnly', 'DenseSparseHybrid'])(
    'is answered by the active generation if the model is missing here (%s)',
    async (strategy) => {
      const searched = await search(await aWorld({ configured: false }), everyone, { strategy });
      expect([generationOf(searched), searched.lexicalOnly, searched.failedCanaries]).toEqual([
        [G1],
        [],
        [{ scope: DEPLOYMENT_SCOPE, generation: G2 }],
      ]);
    },
  );

  it('is answered by the active generation if the model fails', async () => {
    const failing = aFakeEmbeddingProvider({
      version: NEW,
      beforeAnswer: ({ kind }) => {
        if (kind === 'query') throw new Unavailable('the endpoint does not respond');
      },
    });
    const searched = await search(await aWorld({ newModel: failing }));
    expect([generationOf(searched), searched.failedCanaries.length, searched.hits.length]).toEqual([[G1], 1, 2]);
  });

  it('is answered by the active generation if the new one is deleted meanwhile', async () => {
    const world = await aWorld();
    const normal = searchStages(world.ports);
    let retired = false;
    const stages: SearchStages = {
      run: async (...given) => {
        if (!retired) {
          const outcome = await normal.run(...given);
          retired = true;
          await world.retire();
          return outcome;
        }
        return normal.run(...given);
      },
    };
    const searched = await search(world, everyone, {}, stages);
    expect([generationOf(searched), searched.failedCanaries]).toEqual([[G1], []]);
    expect(generationOf(await search(world))).toEqual([G1]);
  });

  it('is refused like any other if the request itself is wrong', async () => {
    await expect(search(await aWorld(), everyone, { scopes: ['team:blue'] })).rejects.toThrow(/not found|no such|unknown/i);
  });

  it('is recorded with its generation, and with what can be compared', async () => {
    const world = await aWorld();
    const bus = new DirectBus();
    const records = new RetrievalRecordQueue(bus, (error) => expect(error).toBeUndefined());
    const ports = { ...world.ports, views: world.views, pastViews: world.pastViews, records, quotaPolicy: UNLIMITED, version: '9.9.9' };
    await new SearchKnowledgeHandler({ ...ports, canaries: everyone }).run(
      reader(),
      searchRequest({ query: 'espresso', conversation: 'conversation-of-ann' }),
    );
    await new SearchKnowledgeHandler(ports).run(reader(), searchRequest({ query: 'espresso' }));
    await records.flush();
    const [canary, active] = bus.published.map(({ body }) => JSON.parse(body).data.generations[0]);
    expect(canary).toMatchObject({ generation: 'g2', embeddingVersion: NEW, canary: true, agreement: 1, topStandard: expect.any(Number) });
    expect(active).toMatchObject({ generation: 'g1', agreement: 1 });
    expect(active).not.toHaveProperty('canary');
    expect(JSON.stringify(bus.published)).not.toContain('conversation-of-ann');
  });
});

describe('the canaries of a process', () => {
  const started = (share: number): ScopeEvent => ({
    type: 'CanaryStarted',
    data: {
      ...{ scope: DEPLOYMENT_SCOPE, generation: G2, against: G1, share, thresholds: DEFAULT_CANARY_THRESHOLDS },
      startedAt: '2026-01-01T00:00:00.000Z',
    },
  });
  const ended = (reason: CanaryEndReason): ScopeEvent => ({
    type: 'CanaryEnded',
    data: { scope: DEPLOYMENT_SCOPE, generation: G2, reason, endedAt: '2026-01-01T00:00:00.000Z' },
  });
  const aProcess = async () => {
    const journal = aJournal(new InMemoryEventLog());
    const follow = () =>
      new LiveCanaries({
        journal,
        system: SYSTEM,
        onFault: (error) => {
          throw error;
        },
      });
    const append = (event: ScopeEvent) =>
      journal.appendToEnd(scopeStream(SCOPE), [event], { ...SCOPE, actor: 'key:1', correlationId: 'r1' });
    const canaries = follow();
    await canaries.start();
    return { append, canaries, follow };
  };
  const FAR = (2n ** 60n) as Position;

  it('follow the log, and are the same after a restart', async () => {
    const { append, canaries, follow } = await aProcess();
    expect(canaries.generationFor(SCOPE, 'user:1', FAR)).toBeUndefined();
    await canaries.reached(await append(started(100)));
    const again = follow();
    await again.start();
    for (const one of [canaries, again]) expect(one.generationFor(SCOPE, 'user:1', FAR)).toBe(G2);
    expect(canaries.generationFor({ ...SCOPE, tenant: 'other' as never }, 'user:1', FAR)).toBeUndefined();
    const end = await append(ended('regression'));
    for (const one of [canaries, again]) {
      await one.reached(end);
      expect(one.generationFor(SCOPE, 'user:1', FAR)).toBeUndefined();
      await one.stop();
    }
  });

  it('serve no caller at 0 percent', async () => {
    const { append, canaries } = await aProcess();
    await canaries.reached(await append(started(0)));
    expect(canaries.generationFor(SCOPE, 'user:1', FAR)).toBeUndefined();
    await canaries.stop();
  });

  it('keep their callers on the new generation until a view reflects the cut-over', async () => {
    const { append, canaries } = await aProcess();
    const before = await append(started(100));
    const cutOver = await append(ended('cut-over'));
    await canaries.reached(cutOver);
    expect(canaries.generationFor(SCOPE, 'user:1', before)).toBe(G2);
    expect(canaries.generationFor(SCOPE, 'user:1', cutOver)).toBeUndefined();
    await canaries.stop();
  });
});
