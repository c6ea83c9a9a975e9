import fastify, { type FastifyInstance } from 'fastify';
import { GROUPS, TOPICS } from '@palimpsest/contracts';
import { documentStream } from '@palimpsest/knowledge/deciders';
import { InvalidValue, RateLimited, Unavailable } from '@palimpsest/knowledge/errors';
import { embeddingVersion } from '@palimpsest/knowledge/values';
import type { Delivery, Handler, MessageBus, NewEvent } from '@palimpsest/knowledge/ports';
import type { DocumentId, Position, TenantId } from '@palimpsest/knowledge/values';
import { ProblemFilter } from '@palimpsest/http';
import { aFakeEmbeddingProvider, InMemoryCatalog, InMemoryEventLog } from '@palimpsest/test-kit';
import { createMetrics, type Metrics } from './create-metrics.ts';
import type { RebuildFigures } from './rebuild-instruments.ts';
import type { MetricSources } from './scrape.ts';

const VERSION = embeddingVersion('fake:bag-of-words/64');
const STREAM = documentStream('acme' as TenantId, 'd1' as DocumentId);
const anEvent = (id: number, type = 'DocumentSubmitted'): NewEvent => ({
  id: `00000000-0000-4000-8000-${String(id).padStart(12, '0')}`,
  type,
  data: {},
  metadata: {},
});

/** The samples of one metric: values by labels, in alphabetical order and without the service. */
const samples = async (metrics: Metrics, name: string): Promise<Record<string, number>> => {
  const lines = (await metrics.text()).split('\n').filter((line) => line.startsWith(`${name}{`));
  const labels = (line: string): string =>
    [...line.matchAll(/(\w+)="([^"]*)"/g)]
      .map(([label]) => label)
      .filter((label) => label !== 'service="test"')
      .sort()
      .join(',');
  return Object.fromEntries(lines.map((line) => [labels(line), Number(line.split(' ').at(-1))]));
};

const aRunner = (over: Partial<NonNullable<MetricSources['runner']>> = {}): NonNullable<MetricSources['runner']> => ({
  serving: () => true,
  failure: () => undefined,
  progress: async () => [{ name: 'catalog', position: 4n as Position }],
  ...over,
});
const aBus = (over: Partial<NonNullable<MetricSources['bus']>> = {}): NonNullable<MetricSources['bus']> => ({
  lag: async (topic) => (topic === TOPICS.ingestion ? 7 : 0),
  deadLetters: async () => [],
  ...over,
});

describe('metrics', () => {
  let metrics: Metrics;
  let now = 0;
  beforeEach(() => (metrics = createMetrics({ service: 'test', now: () => now })));

  it('report fleets and their scopes by state, and nothing in a process that does not know them', async () => {
    expect(await samples(metrics, 'palimpsest_fleets')).toEqual({});
    let counts: { fleets: Record<string, number>; scopes: Record<string, number> } = {
      fleets: { running: 1 },
      scopes: { moved: 3, building: 1 },
    };
    metrics.watch({ fleets: () => counts });
    expect(await samples(metrics, 'palimpsest_fleets')).toEqual({ 'state="running"': 1 });
    expect(await samples(metrics, 'palimpsest_fleet_scopes')).toEqual({ 'state="moved"': 3, 'state="building"': 1 });
    counts = { fleets: {}, scopes: {} };
    now += 2_000;
    expect(await samples(metrics, 'palimpsest_fleet_scopes')).toEqual({});
  });

  it('report swaps, and nothing in a process that does not know them', async () => {
    expect(await metrics.text()).not.toMatch(/^palimpsest_(swap|reembedding)\w*[{ ]/m);
    let chunks = 20;
    metrics.watch({
      swaps: () => ({
        states: { building: 2, paused: 0, failed: 0, ready: 1 },
        ranges: { done: 5, open: 27 },
        evaluations: { 'not-worse': 4, worse: 1, undecided: 0 },
        ...{ chunks, rejected: 1, tokens: 900, cost: 0.25, failures: 3, stalledSeconds: 12, share: 0.5 },
      }),
    });
    expect(await samples(metrics, 'palimpsest_swaps')).toEqual({
      ...{ 'state="building"': 2, 'state="paused"': 0, 'state="failed"': 0, 'state="ready"': 1 },
    });
    expect(await samples(metrics, 'palimpsest_swap_ranges')).toEqual({ 'state="done"': 5, 'state="open"': 27 });
    expect(await samples(metrics, 'palimpsest_swap_evaluations_total')).toMatchObject({ 'verdict="not-worse"': 4, 'verdict="worse"': 1 });
    expect(await samples(metrics, 'palimpsest_swap_chunks_total')).toEqual({ '': 20 });
    expect(await samples(metrics, 'palimpsest_swap_rejected_chunks_total')).toEqual({ '': 1 });
    expect(await samples(metrics, 'palimpsest_swap_tokens_total')).toEqual({ '': 900 });
    expect(await samples(metrics, 'palimpsest_swap_failures_total')).toEqual({ '': 3 });
    expect(await samples(metrics, 'palimpsest_swap_cost_dollars')).toEqual({ '': 0.25 });
    expect(await samples(metrics, 'palimpsest_swap_stalled_seconds')).toEqual({ '': 12 });
    expect(await samples(metrics, 'palimpsest_reembedding_share_ratio')).toEqual({ '': 0.5 });
    // A counter has the value of its source, not a sum over scrapes.
    chunks = 30;
    now += 2_000;
    expect(await samples(metrics, 'palimpsest_swap_chunks_total')).toEqual({ '': 30 });
  });

  it('report the rebuild of the read models, and nothing before the first one', async () => {
    let rebuild: RebuildFigures | undefined;
    metrics.watch({ rebuild: () => rebuild });
    expect(await metrics.text()).not.toMatch(/^palimpsest_rebuild\w*[{ ]/m);
    const positions = { done: 30, total: 120 };
    rebuild = { state: 'running', positions, eventsPerSecond: 15, remainingSeconds: 6 };
    now += 2_000;
    expect(await samples(metrics, 'palimpsest_rebuilds')).toMatchObject({ 'state="running"': 1, 'state="paused"': 0, 'state="failed"': 0 });
    expect(await samples(metrics, 'palimpsest_rebuild_done_ratio')).toEqual({ '': 0.25 });
    expect(await samples(metrics, 'palimpsest_rebuild_events_per_second')).toEqual({ '': 15 });
    expect(await samples(metrics, 'palimpsest_rebuild_remaining_seconds')).toEqual({ '': 6 });
    rebuild = { state: 'complete', positions: { done: 120, total: 120 }, eventsPerSecond: 20 };
    now += 2_000;
    expect(await samples(metrics, 'palimpsest_rebuilds')).toMatchObject({ 'state="running"': 0, 'state="complete"': 1 });
    expect(await samples(metrics, 'palimpsest_rebuild_done_ratio')).toEqual({ '': 1 });
    expect(await samples(metrics, 'palimpsest_rebuild_remaining_seconds')).toEqual({});
  });

  it('report the lag of the queues and the read models', async () => {
    const counts = { pending: 3, processing: 2, indexed: 40, failed: 1, total: 46, held: 0 };
    metrics.watch({
      bus: aBus(),
      runner: aRunner(),
      log: { head: async () => 9n as Position },
      queueCapacity: 50,
      catalog: { documentCounts: async () => counts, chunkCount: async () => 400, scopes: async () => [] },
    });
    expect(await samples(metrics, 'palimpsest_bus_lag_messages')).toMatchObject({
      [`group="${GROUPS.ingestion}",topic="${TOPICS.ingestion}"`]: 7,
      [`group="${GROUPS.retrieval}",topic="${TOPICS.retrieval}"`]: 0,
    });
    expect(await samples(metrics, 'palimpsest_documents')).toEqual({
      'state="pending"': 3,
      'state="processing"': 2,
      'state="indexed"': 40,
      'state="failed"': 1,
    });
    expect(await samples(metrics, 'palimpsest_queue_depth_documents')).toEqual({ '': 7 });
    expect(await samples(metrics, 'palimpsest_queue_capacity_documents')).toEqual({ '': 50 });
    expect(await samples(metrics, 'palimpsest_projection_lag_positions')).toEqual({ 'projection="catalog"': 5 });
    expect((await samples(metrics, 'palimpsest_projection_behind_seconds'))['']).toBeGreaterThan(0);
    expect(await samples(metrics, 'palimpsest_chunks')).toEqual({ '': 400 });
  });

  it('report a lag of 0 seconds if the read models have caught up', async () => {
    metrics.watch({ runner: aRunner(), log: { head: async () => 4n as Position } });
    expect(await samples(metrics, 'palimpsest_projection_behind_seconds')).toEqual({ '': 0 });
  });

  it.each([
    { is: 'ready', runner: aRunner(), value: 1 },
    { is: 'not ready while it catches up', runner: aRunner({ serving: () => false }), value: 0 },
    { is: 'not ready while its projection fails', runner: aRunner({ failure: () => new Error('no') }), value: 0 },
  ])('report that the process is $is', async ({ runner, value }) => {
    metrics.watch({ runner });
    expect(await samples(metrics, 'palimpsest_ready')).toEqual({ '': value });
  });

  it('omit unknown values', async () => {
    metrics.watch({});
    for (const name of [
      'ready',
      'chunks',
      'queue_depth_documents',
      'queue_capacity_documents',
      'projection_behind_seconds',
      'retrieval_records_dropped_total',
      'retrieval_traces_dropped_total',
      'documents',
      'bus_lag_messages',
    ])
      expect({ name, samples: await samples(metrics, `palimpsest_${name}`) }).toEqual({ name, samples: {} });
  });

  it('omit a failed source, count the failure, and report the rest', async () => {
    let isDown = false;
    const lag: MessageBus['lag'] = async () => {
      if (isDown) throw new Unavailable('the broker is down');
      return 3;
    };
    const catalog = new InMemoryCatalog();
    metrics.watch({ bus: aBus({ lag }), catalog });
    expect(Object.keys(await samples(metrics, 'palimpsest_bus_lag_messages'))).toHaveLength(3);
    isDown = true;
    metrics.watch({ bus: aBus({ lag }), catalog });
    expect(await samples(metrics, 'palimpsest_bus_lag_messages')).toEqual({});
    expect(await samples(metrics, 'palimpsest_queue_depth_documents')).toEqual({});
    expect(await samples(metrics, 'palimpsest_documents')).toMatchObject({ 'state="indexed"': 0 });
    expect(await samples(metrics, 'palimpsest_scrape_failures_total')).toMatchObject({
      'source="queue"': 1,
      [`source="lag of ${TOPICS.ingestion}"`]: 1,
    });
  });

  it('omit a source that hangs, and do not read it again meanwhile', async () => {
    let reads = 0;
    const hangs: MessageBus['deadLetters'] = () => ((reads += 1), new Promise<never>(() => undefined));
    metrics.watch({ bus: aBus({ deadLetters: hangs }) });
    expect(await samples(metrics, 'palimpsest_bus_dead_letters_messages')).toEqual({});
    expect(Object.keys(await samples(metrics, 'palimpsest_bus_lag_messages'))).toHaveLength(3);
    expect(await samples(metrics, 'palimpsest_scrape_failures_total')).toEqual({ 'source="dead letters"': 1 });
    now += 1_100;
    expect(await samples(metrics, 'palimpsest_scrape_failures_total')).toEqual({ 'source="dead letters"': 2 });
    expect(reads).toBe(1);
  });

  it('read the sources once for all requests within a second', async () => {
    let reads = 0;
    metrics.watch({ bus: aBus({ lag: async () => (reads += 1) }) });
    await Promise.all([metrics.text(), metrics.text()]);
    now += 900;
    await metrics.text();
    expect(reads).toBe(3);
    now += 200;
    await metrics.text();
    expect(reads).toBe(6);
  });

  it('count appends, new events, conflicts and failures, by category of the stream', async () => {
    const log = metrics.eventLog(new InMemoryEventLog());
    await log.append(STREAM, [anEvent(1), anEvent(2, 'DocumentIndexed')], 'no-stream');
    await log.append(STREAM, [anEvent(1), anEvent(2, 'DocumentIndexed')], 'no-stream');
    await log.append(STREAM, [anEvent(3)], 'no-stream');
    await expect(log.append(STREAM, [], 1)).rejects.toThrow(InvalidValue);
    expect(await samples(metrics, 'palimpsest_appended_events_total')).toEqual({
      'type="DocumentSubmitted"': 1,
      'type="DocumentIndexed"': 1,
    });
    expect(await samples(metrics, 'palimpsest_append_duration_seconds_count')).toEqual({ 'category="document"': 4 });
    expect(await samples(metrics, 'palimpsest_append_conflicts_total')).toEqual({ 'category="document"': 1 });
    expect(await samples(metrics, 'palimpsest_append_failures_total')).toEqual({ 'category="document"': 1 });
  });

  it('measure the wait of messages and the outcome of their handling', async () => {
    let handler: Handler = async () => undefined;
    const bus = metrics.messageBus({
      consume: async (_options: unknown, given: Handler) => void (handler = given),
    } as unknown as MessageBus);
    await bus.consume({ topic: 'work', group: 'workers' }, async ([delivery]) => {
      if (delivery?.id === 'bad') throw new Error('no');
    });
    const delivery = (id: string, attempt: number): Delivery => ({
      id,
      key: 'k',
      headers: {},
      body: '{}',
      topic: 'work',
      attempt,
      publishedAt: new Date(Date.now() - 3_000).toISOString(),
      signal: new AbortController().signal,
    });
    await handler([delivery('good', 1)]);
    await expect(handler([delivery('bad', 2)])).rejects.toThrow('no');
    expect(await samples(metrics, 'palimpsest_bus_handle_duration_seconds_count')).toEqual({
      'group="workers",outcome="settled",topic="work"': 1,
      'group="workers",outcome="failed",topic="work"': 1,
    });
    expect((await samples(metrics, 'palimpsest_bus_wait_seconds_sum'))['group="workers",topic="work"']).toBeCloseTo(3, 0);
    expect(await samples(metrics, 'palimpsest_bus_wait_seconds_count')).toEqual({ 'group="workers",topic="work"': 1 });
  });

  it('measure the model, and report the counts of the cache', async () => {
    const provider = metrics.embedding(aFakeEmbeddingProvider());
    await provider.embed(['a', 'b'], 'passage');
    await expect(provider.embed([' '], 'query')).rejects.toThrow(InvalidValue);
    metrics.watch({
      embeddings: {
        versions: () => [],
        cacheStatsByVersion: () => new Map([[VERSION, { hits: 5, misses: 2 }]]),
        endpoints: () => [{ version: VERSION, changed: false, open: true }],
      },
    });
    expect(await samples(metrics, 'palimpsest_embedding_duration_seconds_count')).toEqual({
      'kind="passage",version="fake:bag-of-words/64"': 1,
    });
    expect(await samples(metrics, 'palimpsest_embedding_failures_total')).toEqual({ 'kind="query",version="fake:bag-of-words/64"': 1 });
    expect(await samples(metrics, 'palimpsest_embedding_texts_total')).toEqual({
      'cache="hit",version="fake:bag-of-words/64"': 5,
      'cache="miss",version="fake:bag-of-words/64"': 2,
    });
    expect(await samples(metrics, 'palimpsest_unusable_models')).toEqual({
      'reason="changed",version="fake:bag-of-words/64"': 0,
      'reason="circuit-open",version="fake:bag-of-words/64"': 1,
    });
  });

  it('have units in their names, a help text, and no label that could identify a tenant or a document', () => {
    const ours = metrics.registry.getMetricsAsArray().filter(({ name }) => name.startsWith('palimpsest_')) as unknown as readonly {
      name: string;
      help: string;
      type: string;
      labelNames: readonly string[];
    }[];
    expect(ours.length).toBeGreaterThan(20);
    const labels = [
      'method',
      'route',
      'status',
      'code',
      'category',
      'type',
      'topic',
      'group',
      'outcome',
      'version',
      'kind',
      'cache',
      'state',
      'projection',
      'reason',
      'source',
      'work',
      'verdict',
      'made_from',
      'store',
      'stage',
    ];
    for (const { name, help, type, labelNames } of ours) {
      expect(name).toMatch(
        type === 'histogram'
          ? /_seconds$/
          : type === 'counter'
            ? /_total$/
            : /_(seconds|messages|documents|requests|positions|info|chunks|ready|canaries|fleets|scopes|swaps|ranges|dollars|models|ratio|rebuilds|differences|findings|per_second)$/,
      );
      expect({ name, help: help.length > 20, labels: labelNames.filter((label) => !labels.includes(label)) }).toEqual({
        name,
        help: true,
        labels: [],
      });
    }
  });
});

describe('metrics of requests', () => {
  let server: FastifyInstance;
  let url: string;
  const metrics = createMetrics({ service: 'test' });
  const slowArrived = Promise.withResolvers<void>();
  /** The response ends on the server a moment later than at the caller. */
  const counted = async (name: string, isComplete: (values: Record<string, number>) => boolean): Promise<Record<string, number>> => {
    for (;;) {
      metrics.watch({});
      const values = await samples(metrics, name);
      if (isComplete(values)) return values;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  beforeAll(async () => {
    server = fastify();
    metrics.requests(server);
    server.get('/v1/documents/:id', async () => ({}));
    const filter = new ProblemFilter(() => undefined);
    server.setErrorHandler((error, request, reply) =>
      filter.catch(error, { switchToHttp: () => ({ getRequest: () => request, getResponse: () => reply }) } as never),
    );
    server.get('/v1/search', async () => {
      throw new RateLimited('tenant "north" sends too many requests', 2);
    });
    server.get('/v1/slow', () => (slowArrived.resolve(), new Promise(() => undefined)));
    url = await server.listen({ port: 0, host: '127.0.0.1' });
  });
  afterAll(async () => {
    server.server.closeAllConnections();
    await server.close();
  });

  it('are labelled by route, not by path, and count aborted requests', async () => {
    for (const path of ['/v1/documents/one?q=1', '/v1/documents/two', '/nowhere/at/all', '/health/live', '/metrics'])
      await (await fetch(url + path)).text();
    const caller = new AbortController();
    const slow = fetch(`${url}/v1/slow`, { signal: caller.signal });
    void slowArrived.promise.then(() => caller.abort());
    await expect(slow).rejects.toThrow();
    const hasAll = (values: Record<string, number>) => Object.values(values).reduce((sum, value) => sum + value, 0) >= 4;
    expect(await counted('palimpsest_http_request_duration_seconds_count', hasAll)).toEqual({
      'method="GET",route="/v1/documents/:id",status="2xx"': 2,
      'method="GET",route="unknown",status="4xx"': 1,
      'method="GET",route="/v1/slow",status="aborted"': 1,
    });
  });

  it('count refused requests by problem code', async () => {
    for (let i = 0; i < 3; i++) expect((await fetch(`${url}/v1/search`)).status).toBe(429);
    expect(await counted('palimpsest_http_problems_total', (values) => (values['code="RateLimited"'] ?? 0) >= 3)).toEqual({
      'code="RateLimited"': 3,
    });
  });
});
