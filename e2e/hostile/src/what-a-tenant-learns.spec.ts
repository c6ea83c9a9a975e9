import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { eventually } from '@palimpsest/test-kit/eventually';
import { submitText } from '@palimpsest/e2e-support/submit';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';

const SECRET_QUERY = 'how much do we pay the harbour master';
const SECRET_PASSAGE = 'The harbour master is paid in herring.';

describe('a tenant', () => {
  let platform: PlatformUnderTest;
  let standIn: EmbeddingStandIn;
  const keys = { a: '', b: '' };
  const asTenant = (tenant: 'a' | 'b', route: string, json?: object) =>
    platform.ask(route, { key: keys[tenant], ...(json === undefined ? {} : { json }) });
  /** How often the model embedded a text. */
  const computed = (text: string): number => standIn.texts.filter((each) => each.includes(text)).length;

  beforeAll(async () => {
    standIn = await EmbeddingStandIn.open();
    platform = await PlatformUnderTest.start(await aDataFolder(), standIn.settings());
    for (const tenant of ['a', 'b'] as const) {
      keys[tenant] = (await platform.client.operations.createApiKey({ name: tenant, tenant, roles: ['admin'] })).key;
      await submitText(platform.as(keys[tenant]), { sourceId: 'own.md', text: `A document of ${tenant}.` });
    }
  });

  it('cannot detect from embedding work that another tenant searched for the same words', async () => {
    expect((await asTenant('b', 'POST /v1/search', { query: SECRET_QUERY })).status).toBe(200);
    expect(computed(SECRET_QUERY)).toBe(1);
    await asTenant('b', 'POST /v1/search', { query: SECRET_QUERY });
    expect(computed(SECRET_QUERY)).toBe(1);
    await asTenant('a', 'POST /v1/search', { query: SECRET_QUERY });
    expect(computed(SECRET_QUERY)).toBe(2);
  });

  it('cannot detect that another tenant has the same passage', async () => {
    await submitText(platform.as(keys.b), { sourceId: 'secret.md', text: SECRET_PASSAGE });
    const before = computed(SECRET_PASSAGE);
    await submitText(platform.as(keys.a), { sourceId: 'guess.md', text: SECRET_PASSAGE });
    expect(computed(SECRET_PASSAGE)).toBe(before + 1);
  });

  it('sees neither stage timings of a search nor cache counters, unlike an operator', async () => {
    for (const route of ['POST /v1/search', 'POST /v1/context']) {
      expect((await asTenant('a', route, { query: 'x' })).json).not.toHaveProperty('timings');
      expect((await platform.ask(route, { json: { query: 'x' } })).json).toHaveProperty('timings.stages');
    }
    expect((await asTenant('a', 'GET /v1/status')).text).not.toMatch(/cache|hits|misses/);
    expect((await platform.ask('GET /v1/status')).json).toHaveProperty('embeddings.cache.hits');
  });

  it('sees no stage timings in its retrieval records', async () => {
    const { events } = await eventually('its searches are recorded', async () => {
      const { json } = await asTenant('a', 'GET /v1/events?type=KnowledgeRetrieved&type=KnowledgeRetrievalMiss');
      return (json['events'] as unknown[]).length > 0 ? (json as { events: { data: object }[] }) : undefined;
    });
    for (const { data } of events) expect(Object.keys(data)).not.toEqual(expect.arrayContaining(['stages']));
    for (const { data } of events) expect(data).not.toHaveProperty('latencyMs');
  });

  it('sees figures that do not change with the work of another tenant, apart from positions', async () => {
    const figures = async () => {
      const [overview, status, usage] = [
        await asTenant('a', 'GET /v1/overview'),
        await asTenant('a', 'GET /v1/status'),
        await asTenant('a', 'GET /v1/usage'),
      ];
      const { documents, chunks, health } = overview.json as {
        documents: object;
        chunks: number;
        health: { documents: object; retrievals: object };
      };
      return { documents, chunks, of: Object.keys(health).sort(), status: status.json, usage: usage.json };
    };
    // Its three earlier searches are counted from the log.
    await eventually('its own searches are counted', async () =>
      ((await asTenant('a', 'GET /v1/usage')).json as { use: { retrievalsToday: number } }).use.retrievalsToday === 3 ? true : undefined,
    );
    const before = await figures();
    for (let i = 0; i < 3; i++) await submitText(platform.as(keys.b), { sourceId: `more-${i}.md`, text: `More of b, ${i}.` });
    await asTenant('b', 'POST /v1/search', { query: 'more of b' });
    expect(await figures()).toEqual(before);
    expect(before.of).toEqual(['documents', 'reasons', 'retrievals', 'status', 'windowSeconds']);
    expect(Object.keys(before.status).sort()).toEqual([
      'chunks',
      'documents',
      'failedChunks',
      'models',
      'queue',
      'ready',
      'scopes',
      'version',
      'withoutVector',
    ]);
  });

  it('sees its own searches in its figures, but not those of another tenant', async () => {
    const searches = async (tenant: 'a' | 'b'): Promise<number> => {
      const { buckets } = ((await asTenant(tenant, 'GET /v1/overview')).json as { series: { buckets: { searches: { count: number } }[] } })
        .series;
      return buckets.reduce((sum, bucket) => sum + bucket.searches.count, 0);
    };
    const ofA = await searches('a');
    const ofB = await searches('b');
    await asTenant('b', 'POST /v1/search', { query: 'once more' });
    await eventually('the search is counted', async () => ((await searches('b')) > ofB ? true : undefined));
    expect(await searches('a')).toBe(ofA);
  });
});

describe('a caller without a key', () => {
  it('sees only the status in the health report, and no figures', async () => {
    const platform = await PlatformUnderTest.start(await aDataFolder());
    const { json } = await platform.ask('GET /health/rag', { key: undefined });
    expect(Object.keys(json).sort()).toEqual(['reasons', 'status', 'windowSeconds']);
    await platform.stop();
  });
});
