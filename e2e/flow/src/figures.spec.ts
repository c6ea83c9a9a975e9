import type { OverviewView, RagHealth, SeriesBucket } from '@palimpsest/client';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { eventually } from '@palimpsest/test-kit/eventually';
import { submitText } from '@palimpsest/e2e-support/submit';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';

describe('the metrics of the last minutes', () => {
  let platform: PlatformUnderTest;
  const health = async () => (await platform.ask('GET /health/rag')).json as unknown as RagHealth;

  beforeAll(async () => {
    platform = await PlatformUnderTest.start(await aDataFolder(), {
      ...(await EmbeddingStandIn.open()).settings(),
      PALIMPSEST_QUEUE_CAPACITY: '77',
      PALIMPSEST_METRICS: 'false',
    });
  });

  it('are only status and reasons for a caller without an operator key', async () => {
    const reader = await platform.client.operations.createApiKey({ name: 'reader' });
    for (const key of [undefined, reader.key]) {
      const { status, json } = await platform.ask('GET /health/rag', { key });
      expect([status, json]).toEqual([200, { status: 'ok', reasons: [], windowSeconds: 60 }]);
    }
  });

  it('start empty, without invented values', async () => {
    const { status, json } = await platform.ask('GET /health/rag');
    expect(status).toBe(200);
    expect(json).toMatchObject({
      windowSeconds: 60,
      retrievals: { hit: 0, miss: 0, empty: 0, latency: { count: 0 } },
      queue: { depth: 0, capacity: 77, held: 0 },
      embedding: { count: 0, failures: 0 },
    });
    expect(json['embedding']).not.toHaveProperty('p50');
  });

  it('count the work done, and distinguish hits, misses and empty results', async () => {
    await platform.client.knowledgeBases.create({ id: 'hidden-base', scope: 'team:red' });
    for (let i = 0; i < 3; i++)
      await submitText(platform.client, { knowledgeBase: 'hidden-base', sourceId: `zebra-${i}.md`, text: 'zebra zebra stripes' });
    await platform.client.search({ query: 'zebra zebra stripes' });
    await platform.client.search({ query: 'zebra zebra stripes', topK: 1 });
    await platform.client.search({ query: 'quarterly balance sheet', strategy: 'DenseOnly' });
    await platform.client.search({ query: 'zebra', scopes: ['platform'] });
    // The series covers 15 minutes, so even on a slow machine it contains everything.
    const counted = await eventually('everything is counted', async () => {
      const { series } = await platform.client.operations.overview();
      const sum = (of: (bucket: SeriesBucket) => number) => series.buckets.reduce((total, bucket) => total + of(bucket), 0);
      const figures = {
        hit: sum((b) => b.hit),
        miss: sum((b) => b.miss),
        empty: sum((b) => b.empty),
        searches: sum((b) => b.searches.count),
        flushes: sum((b) => b.flush?.count ?? 0),
        embeddings: sum((b) => b.embedding?.count ?? 0),
      };
      return figures.searches === 4 && figures.flushes > 0 && figures.embeddings > 0 ? figures : undefined;
    });
    expect(counted).toMatchObject({ hit: 2, miss: 1, empty: 1 });
  });

  it('cover the last 60 seconds and include the current status', async () => {
    const recent = await eventually('a recent search is counted', async () => {
      await platform.client.search({ query: 'zebra', scopes: ['platform'] });
      const current = await health();
      return current.retrievals.empty > 0 ? current : undefined;
    });
    expect(recent.retrievals.latency).toMatchObject({
      count: expect.any(Number),
      mean: expect.any(Number),
      p50: expect.any(Number),
      p95: expect.any(Number),
    });
    const settled = await eventually('there is no lag, and the queue is empty', async () => {
      const current = await health();
      return current.projection.lagPositions === 0 && current.queue.depth === 0 && current.status === 'ok' ? current : undefined;
    });
    expect(settled).toMatchObject({ reasons: [], projection: { lagPositions: 0, lagMs: 0 }, queue: { capacity: 77, held: 0 } });
  });

  it('contain no names of tenants, teams or documents', async () => {
    const { text } = await platform.ask('GET /health/rag');
    expect(text).not.toMatch(/hidden|zebra|team|default|red/);
  });

  it('give callers an overview of what they may read, and operators of the whole installation', async () => {
    const keyOf = async (key: object) => (await platform.client.operations.createApiKey({ name: 'test', ...key })).key;
    const of = async (key: string) => (await platform.ask('GET /v1/overview', { key })).json as unknown as OverviewView;
    const all = await of(await keyOf({ roles: ['operator'] }));
    expect(all).toMatchObject({ of: 'installation', documents: { indexed: 3, total: 3 }, chunks: 3 });
    expect(await of(await keyOf({ teams: ['red'] }))).toMatchObject({ of: 'readable', documents: { indexed: 3, total: 3 }, chunks: 3 });
    for (const key of [await keyOf({ teams: ['blue'] }), await keyOf({ tenant: 'other', teams: ['*'], roles: ['admin'] })])
      expect(await of(key)).toMatchObject({ of: 'readable', documents: { total: 0 }, chunks: 0 });
    const { bucketSeconds, buckets } = all.series;
    expect(buckets.length * bucketSeconds).toBe(900);
    const sum = (what: (bucket: (typeof buckets)[number]) => number) => buckets.reduce((total, bucket) => total + what(bucket), 0);
    expect([sum((b) => b.documentsIndexed), sum((b) => b.chunksIndexed), sum((b) => b.hit), sum((b) => b.miss)]).toEqual([3, 3, 2, 1]);
    expect(
      buckets.map(({ at }) => Date.parse(at)).every((at, i, times) => i === 0 || at - (times[i - 1] ?? 0) === bucketSeconds * 1_000),
    ).toBe(true);
    await eventually('the queue depth was sampled', async () =>
      (await of(platform.key)).series.buckets.some(({ queueDepth }) => queueDepth === 0) ? true : undefined,
    );
  });
});
