import { TOPICS } from '@palimpsest/contracts';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import type { DocumentIndexed, DomainEvent, Fact } from '@palimpsest/knowledge/events';
import type { MessageBus, StreamName } from '@palimpsest/knowledge/ports';
import type { ScopeView } from '@palimpsest/knowledge/read-models';
import { tenantId, type EmbeddingVersion, type Position } from '@palimpsest/knowledge/values';
import { aFakeEmbeddingProvider, InMemoryEventLog } from '@palimpsest/test-kit';
import type { MetricSources } from '../metrics/scrape.ts';
import { BucketRing } from './bucket-ring.ts';
import { MAX_TENANTS, TenantRings } from './figure-rings.ts';
import { createFigures, type Figures } from './figures.ts';
import { Latency } from './latency.ts';

const START = Date.parse('2026-11-22T08:00:00.000Z');

let now: number;
let figures: Figures;
beforeEach(() => {
  now = START;
  figures = createFigures(() => now);
});
afterEach(() => figures.stop());

const bus = (): MessageBus => figures.messageBus({ publish: async () => undefined } as unknown as MessageBus);
const aRetrieval = (hits: number, latencyMs: number, miss?: { floor: number }, headers: Record<string, string> = {}) => ({
  id: 'x',
  key: 'x',
  headers,
  body: JSON.stringify({ type: 'KnowledgeRetrieved', data: { latencyMs, hits: Array.from({ length: hits }, () => ({})) }, miss }),
});
const [ACME, OTHER] = [tenantId('acme'), tenantId('other')];
const indexed = (chunks: number, ageMs = 0, tenant = ACME): Fact<DomainEvent> =>
  ({
    metadata: { tenant },
    event: { type: 'DocumentIndexed', data: { written: Array.from({ length: chunks }, (_, i) => `c${i}`) } } as unknown as DocumentIndexed,
    recordedAt: new Date(now - ageMs).toISOString(),
  }) as unknown as Fact<DomainEvent>;
const project = (...facts: readonly Fact<DomainEvent>[]) => figures.projected({ facts, upTo: 1n as Position, caughtUp: true, ms: 1 });
const aRunner = (over: object = {}): NonNullable<MetricSources['runner']> => ({
  serving: () => true,
  failure: () => undefined,
  progress: async () => [{ name: 'catalog', position: 9n as Position }],
  ...over,
});
const counts = (pending: number, held = 0) => ({ pending, processing: 0, indexed: 0, failed: 0, total: pending, held });
const sources = (over: Partial<MetricSources> = {}): MetricSources => ({
  log: { head: async () => 9n as Position },
  runner: aRunner(),
  queueCapacity: 10,
  catalog: { documentCounts: async () => counts(4, 3), chunkCount: async () => 0, scopes: async () => [] },
  bus: { lag: async () => 0, deadLetters: async () => [] },
  ...over,
});

describe('the figures of the last 60 seconds', () => {
  it('distinguish hits, misses and empty results, with their latency', async () => {
    await bus().publish(TOPICS.retrieval, [aRetrieval(5, 10), aRetrieval(1, 20, { floor: 0.3 }), aRetrieval(0, 30, { floor: 0.3 })]);
    await bus().publish(TOPICS.ingestion, [aRetrieval(5, 10)]);
    const { retrievals } = await figures.health();
    expect(retrievals).toMatchObject({ hit: 1, miss: 1, empty: 1, latency: { count: 3, mean: 20 } });
    expect(retrievals.latency.p50).toBeCloseTo(20, 0);
  });

  it('cover a sliding minute, and the series covers 15 minutes', async () => {
    await bus().publish(TOPICS.retrieval, [aRetrieval(5, 10)]);
    now += 59_000;
    expect((await figures.health()).retrievals.hit).toBe(1);
    now += 2_000;
    expect((await figures.health()).retrievals.hit).toBe(0);
    const hits = () => figures.series().buckets.reduce((sum, { hit }) => sum + hit, 0);
    expect(hits()).toBe(1);
    now += 14 * 60_000;
    expect(hits()).toBe(0);
  });

  it('count appends that reached the disk, model calls and failed model calls', async () => {
    const log = figures.eventLog(new InMemoryEventLog());
    const one = { id: '00000000-0000-8000-8000-000000000001', type: 'DocumentSubmitted', data: {}, metadata: {} };
    for (const expected of ['no-stream', 'no-stream', 5] as const)
      await log.append('document-a-b' as StreamName, [expected === 5 ? { ...one, id: one.id.replace(/1$/, '2') } : one], expected);
    const model = figures.embedding(aFakeEmbeddingProvider());
    await model.embed(['a'], 'passage');
    await expect(model.embed([' '], 'query')).rejects.toThrow(InvalidValue);
    expect(await figures.health()).toMatchObject({
      flush: { count: 1 },
      embedding: { count: 1, failures: 1 },
      status: 'degraded',
      reasons: ['embedding-failing'],
    });
  });

  it('count documents that become searchable, but not replays', () => {
    project(indexed(3), indexed(2), indexed(7, 3_600_000));
    const { buckets, bucketSeconds } = figures.series();
    expect(buckets).toHaveLength(900 / bucketSeconds);
    expect(buckets.at(-1)).toMatchObject({ at: new Date(START).toISOString(), documentsIndexed: 2, chunksIndexed: 5 });
  });

  it('report the queue without held documents, and the lag of the read models', async () => {
    figures.watch(
      sources({
        runner: aRunner({
          progress: async () => [
            { name: 'catalog', position: 9n },
            { name: 'vectors', position: 4n },
          ],
        }),
      }),
    );
    const health = await figures.health();
    expect(health).toMatchObject({ status: 'ok', queue: { depth: 1, capacity: 10, held: 3 }, projection: { lagPositions: 5 } });
    expect(health.projection.lagMs).toBeGreaterThanOrEqual(0);
  });

  it.each<[string, Partial<MetricSources>, readonly string[]]>([
    ['no problem', {}, []],
    ['the projection fails', { runner: aRunner({ failure: () => new Error('no') }) }, ['projection-failing']],
    ['the read models have not caught up', { runner: aRunner({ serving: () => false }) }, ['catching-up']],
    [
      'the queue is nearly full',
      { catalog: { documentCounts: async () => counts(9), chunkCount: async () => 0, scopes: async () => [] } },
      ['queue-nearly-full'],
    ],
    ['a source fails', { bus: { lag: () => Promise.reject(new Error('unavailable')), deadLetters: async () => [] } }, ['figures-missing']],
  ])('give reasons: %s', async (_, over, reasons) => {
    figures.watch(sources(over));
    expect(await figures.health()).toMatchObject({ status: reasons.length === 0 ? 'ok' : 'degraded', reasons });
  });

  it('name the models of active generations that are not configured, with the number of their scopes', async () => {
    const generation = (model: string, status: string) => ({ embeddingVersion: model, status });
    const scopes = [
      { generations: [generation('a:here/4', 'active'), generation('a:gone/4', 'standby')] },
      { generations: [generation('a:gone/4', 'active')] },
      { generations: [generation('a:here/4', 'standby'), generation('a:gone/4', 'active')] },
    ] as unknown as readonly ScopeView[];
    const catalog = { documentCounts: async () => counts(4, 3), chunkCount: async () => 0, scopes: async () => scopes };
    figures.watch(
      sources({
        catalog,
        embeddings: { versions: () => ['a:here/4' as EmbeddingVersion], cacheStatsByVersion: () => new Map(), endpoints: () => [] },
      }),
    );
    expect(await figures.health()).toMatchObject({
      status: 'degraded',
      reasons: ['model-missing'],
      models: { missing: [{ embeddingVersion: 'a:gone/4', scopes: 2 }] },
    });
  });

  it('omit unknown values', async () => {
    const health = await figures.health();
    expect(health).toEqual({
      status: 'ok',
      reasons: [],
      windowSeconds: 60,
      embedding: { count: 0, failures: 0 },
      queue: {},
      flush: { count: 0 },
      retrievals: { hit: 0, miss: 0, empty: 0, latency: { count: 0 } },
      projection: {},
      models: { missing: [] },
    });
    figures.watch(sources({ bus: { lag: () => Promise.reject(new Error('unavailable')), deadLetters: async () => [] } }));
    expect((await figures.health()).queue).toEqual({ capacity: 10 });
  });

  it('read the sources once for all requests within a second', async () => {
    let reads = 0;
    figures.watch(sources({ log: { head: async () => (reads++, 9n as Position) } }));
    await Promise.all(Array.from({ length: 20 }, () => figures.health()));
    expect(reads).toBe(1);
  });
});

describe('the figures of a tenant', () => {
  it('do not include those of other tenants', async () => {
    await bus().publish(TOPICS.retrieval, [
      aRetrieval(5, 10, undefined, { tenant: ACME }),
      aRetrieval(0, 900, { floor: 0.3 }, { tenant: OTHER }),
    ]);
    const failed = {
      metadata: { tenant: ACME },
      event: { type: 'DocumentFailed', data: {} },
      recordedAt: new Date(now).toISOString(),
    } as unknown as Fact<DomainEvent>;
    project(indexed(3), indexed(7, 0, OTHER), failed);
    const { health, series } = figures.ofTenant(ACME);
    expect(health).toMatchObject({
      status: 'ok',
      retrievals: { hit: 1, miss: 0, empty: 0, latency: { count: 1, mean: 10 } },
      documents: { indexed: 1, failed: 1 },
    });
    expect(series.buckets.at(-1)).toEqual({
      at: new Date(START).toISOString(),
      documentsIndexed: 1,
      documentsFailed: 1,
      chunksIndexed: 3,
      searches: expect.objectContaining({ count: 1 }),
      hit: 1,
      miss: 0,
      empty: 0,
    });
  });

  it('do not change with the load of the installation', () => {
    figures.watch(sources({ catalog: { documentCounts: async () => counts(9), chunkCount: async () => 0, scopes: async () => [] } }));
    expect(figures.ofTenant(ACME)).toEqual(createFigures(() => now).ofTenant(OTHER));
  });

  it('are kept for a limited number of tenants, the most recently active', () => {
    const rings = new TenantRings(() => now);
    for (let i = 0; i < MAX_TENANTS + 5; i++) rings.note(tenantId(`t${i}`), (bucket) => void bucket.hit++);
    rings.note(tenantId('t5'), (bucket) => void bucket.hit++);
    rings.note(tenantId('new'), (bucket) => void bucket.hit++);
    expect(rings.count).toBe(MAX_TENANTS);
    const hits = (tenant: string) =>
      rings
        .of(tenantId(tenant))
        .window.all()
        .reduce((sum, { hit }) => sum + hit, 0);
    expect([hits('t0'), hits('t5'), hits('t6'), hits('new')]).toEqual([0, 2, 0, 1]);
  });
});

describe('buckets', () => {
  it('have a fixed number and are contiguous, also after a long idle time or when the clock was set back', () => {
    let time = START + 4_321;
    const ring = new BucketRing(1_000, 5, () => time);
    for (const step of [0, 300, 900, 60_000, -30_000, 1_000, 2_500]) {
      time += step;
      ring.current().hit++;
      const all = ring.all();
      expect(all).toHaveLength(5);
      expect(all.map(({ at }, i) => at - (all[0]?.at ?? 0) - i * 1_000)).toEqual([0, 0, 0, 0, 0]);
      expect(all.at(-1)?.hit).toBeGreaterThan(0);
    }
  });
});

describe('latencies', () => {
  it('of several buckets merge to those of all their measurements, within 1 %', () => {
    const values = Array.from({ length: 1_000 }, (_, i) => (i + 1) / 10);
    const parts = [new Latency(), new Latency(), new Latency()];
    values.forEach((value, i) => parts[i % 2]?.add(value));
    const { count, mean = 0, p50 = 0, p95 = 0 } = Latency.of(parts);
    expect(count).toBe(1_000);
    expect(mean).toBeCloseTo(50.05, 2);
    for (const [reported, exact] of [
      [p50, 50],
      [p95, 95],
    ] as const)
      expect(Math.abs(reported - exact) / exact).toBeLessThan(0.012);
    expect(new Latency().view()).toEqual({ count: 0 });
    const odd = new Latency();
    for (const value of [NaN, Infinity, -1]) odd.add(value);
    expect(odd.view()).toEqual({ count: 1, mean: 0, p50: 0, p95: 0 });
  });
});
