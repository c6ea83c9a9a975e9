import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { NewApiKey, PalimpsestClient } from '@palimpsest/client';
import { expectProblem, type Answer } from './ask.ts';
import { EmbeddingStandIn } from './embedding-stand-in.ts';
import { eventually } from './eventually.ts';
import { handIn } from './hand-in.ts';
import { aDataFolder, PlatformUnderTest, type Settings } from './platform-under-test.ts';

/** Windows are an hour long where a test counts requests: none ends within it. */
const HOUR = 3_600;
const perHour = (burst: number) => ({ perSecond: burst / HOUR, burst });
const TIERS = {
  tiers: {
    small: { quotas: { documents: 3, chunks: 12, bytes: 2_000, knowledgeBases: 1, liveStreams: 1, retrievalsPerDay: 4 }, strategies: ['SparseOnly'] },
    slow: { rates: { search: perHour(3), context: perHour(1), writes: perHour(2) }, ratesPerKey: { search: perHour(2) } },
    open: {},
  },
};

describe('a tenant with limits', () => {
  let standIn: EmbeddingStandIn;
  let settings: Settings;
  let platform: PlatformUnderTest;

  beforeAll(async () => {
    standIn = await EmbeddingStandIn.open();
    const folder = await aDataFolder();
    await writeFile(join(folder, 'tiers.json'), JSON.stringify(TIERS));
    settings = { ...standIn.settings(), PALIMPSEST_TIERS: join(folder, 'tiers.json') };
    platform = await PlatformUnderTest.start(await aDataFolder(), settings);
  });

  let tenants = 0;
  const aTenant = async (limits: Parameters<PalimpsestClient['tenants']['setLimits']>[1]) => {
    const tenant = `tenant-${++tenants}`;
    await platform.client.tenants.setLimits(tenant, limits);
    return { tenant, ...(await aKey({ tenant })) };
  };
  const aKey = async (key: Partial<NewApiKey>) => {
    const issued = await platform.client.operations.createApiKey({ name: 'test', teams: ['*'], roles: ['admin'], ...key });
    return { key: issued.key, client: platform.as(issued.key, { retries: 0 }) };
  };
  const submit = (key: string, name: string, text = `Text of ${name}.`): Promise<Answer> => platform.ask('POST /v1/documents', { key, json: { sourceId: `${name}.md`, text } });
  const search = (key: string, more: object = {}): Promise<Answer> => platform.ask('POST /v1/search', { key, json: { query: 'text', ...more } });
  const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status);

  it('may have so many documents, however many are handed in at once, and is told which limit it is', async () => {
    const { tenant, key, client } = await aTenant({ tier: 'small' });
    const answers = await Promise.all(Array.from({ length: 12 }, (_, i) => submit(key, `d${i}`)));
    expect(statuses(answers).filter((status) => status === 202)).toHaveLength(3);
    for (const refused of answers.filter(({ status }) => status !== 202)) {
      expect(expectProblem(refused, 403, 'QuotaExceeded')).toMatchObject({ quota: { limit: 'documents', allowed: 3, used: 3, tier: 'small' } });
      expect(refused.headers.get('retry-after')).toBeNull();
    }
    const { documents } = await client.documents.list();
    await client.waitFor(documents, { pollMs: 20 });
    expect(await client.tenants.usage()).toMatchObject({ tenant, tier: 'small', use: { documents: 3, chunks: 3, knowledgeBases: 1 } });
    // What is there may change, and what goes makes room.
    expect((await submit(key, documents[0]?.sourceId.replace('.md', '') ?? '', 'Another text.')).status).toBe(202);
    expect((await submit(key, 'one-more')).status).toBe(403);
    await client.documents.remove(documents[1]?.documentId ?? '');
    expect((await submit(key, 'one-more')).status).toBe(202);
  });

  it('has in one upload those accepted that there is room for, and the others told apart', async () => {
    const { client } = await aTenant({ tier: 'small' });
    const files = Array.from({ length: 5 }, (_, i) => ({ name: `f${i}.md`, content: Buffer.from(`File number ${i}.`) }));
    const { documents } = await client.documents.upload(files);
    expect(documents.map((document) => (document.status === 'rejected' ? document.error.code : document.status))).toEqual(['accepted', 'accepted', 'accepted', 'QuotaExceeded', 'QuotaExceeded']);
  });

  it('may have so many bytes, and so many knowledge bases', async () => {
    const { key } = await aTenant({ tier: 'small' });
    expect(expectProblem(await submit(key, 'large', 'x'.repeat(2_001)), 403, 'QuotaExceeded')).toMatchObject({ quota: { limit: 'bytes', allowed: 2_000, used: 0 } });
    const create = (id: string) => platform.ask('POST /v1/knowledge-bases', { key, json: { id } });
    // The default one was made for the document that was too large.
    expect(expectProblem(await create('second'), 403, 'QuotaExceeded')).toMatchObject({ quota: { limit: 'knowledgeBases', allowed: 1, used: 1 } });
    expect((await platform.ask('POST /v1/knowledge-bases/default/archive', { key })).status).toBe(200);
    expect((await create('second')).status).toBe(201);
    expect((await create('second')).status).toBe(201);
  });

  it('has a document that comes to more chunks than it may have failed with that reason, and indexed once it may', async () => {
    const { tenant, client } = await aTenant({ tier: 'small' });
    const sections = Array.from({ length: 20 }, (_, i) => `# Section ${i}\n\n${`word${i} `.repeat(12)}`).join('\n\n');
    const base = await client.knowledgeBases.create({ id: 'short', chunking: { markdown: { maxChars: 200 } } });
    const failed = await handIn(client, { sourceId: 'long.md', knowledgeBase: base.id, text: sections });
    expect(failed.document).toMatchObject({ status: 'failed', reason: 'quota-exceeded', detail: expect.stringContaining('the tier "small" allows 12 chunks') });
    await platform.client.tenants.setLimits(tenant, { tier: 'small', overrides: { quotas: { chunks: null, bytes: null } } });
    expect((await handIn(client, { sourceId: 'long.md', knowledgeBase: base.id, text: sections })).document).toMatchObject({ status: 'indexed', version: 2 });
  });

  it('may make so many requests of each kind, and is told what is left and when to come again', async () => {
    const { tenant, key } = await aTenant({ tier: 'slow' });
    const [other, third] = [await aKey({ tenant }), await aKey({ tenant })];
    const first = await search(key);
    expect([first.status, first.headers.get('ratelimit-policy'), first.headers.get('ratelimit')]).toEqual([
      200, '"search-key";q=2;w=3600, "search";q=3;w=3600', expect.stringMatching(/^"search-key";r=1;t=\d+, "search";r=2;t=\d+$/),
    ]);
    expect(statuses([await search(key), await search(key), await search(other.key), await search(other.key)])).toEqual([200, 429, 200, 429]);
    const refused = await search(third.key);
    const problem = expectProblem(refused, 429, 'RateLimited');
    expect(Number(refused.headers.get('retry-after'))).toBe(refused.json['retryAfterSeconds']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(HOUR - 600);
    expect(refused.headers.get('ratelimit')).toMatch(/"search";r=0;t=\d+/);
    expect(problem.detail).toMatch(/^the tenant may make 3 searches in 3600 s: come again in \d+ s$/);
    const context = () => platform.ask('POST /v1/context', { key, json: { query: 'text' } });
    expect(statuses([await context(), await context()])).toEqual([200, 429]);
    expect(statuses([await submit(key, 'a'), await submit(key, 'b'), await submit(key, 'c')])).toEqual([202, 202, 429]);
    // Lists are not counted, nor are others.
    expect((await platform.ask('GET /v1/documents', { key })).headers.get('ratelimit')).toBeNull();
    const neighbour = await aTenant({ tier: 'slow' });
    expect((await search(neighbour.key)).status).toBe(200);
  });

  it('may retrieve so often a day, also after a restart', async () => {
    const { tenant, key, client } = await aTenant({ tier: 'small' });
    const answers = await Promise.all(Array.from({ length: 9 }, () => search(key)));
    expect(statuses(answers).filter((status) => status === 200)).toHaveLength(4);
    const refused = answers.find(({ status }) => status !== 200);
    expect(refused && expectProblem(refused, 403, 'QuotaExceeded')).toMatchObject({ quota: { limit: 'retrievalsPerDay', allowed: 4, used: 4 } });
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
    const recorded = async () => ((await client.events.list({ types: ['KnowledgeRetrieved'], limit: 100 })).events.length === 4 ? true : undefined);
    await eventually('all traces are on the log', recorded);
    await platform.stop();
    platform = await PlatformUnderTest.start(platform.data, settings);
    expect((await search(key)).status).toBe(403);
    expect((await platform.client.tenants.limits(tenant)).use.retrievalsToday).toBe(4);
  });

  it('is searched by the best strategy that it may use, and told so', async () => {
    const { key, client } = await aTenant({ tier: 'small' });
    await handIn(client, { sourceId: 'zebra.md', text: 'The zebra has stripes.' });
    const downgraded = { asked: 'DenseSparseHybrid', used: 'SparseOnly', tier: 'small', detail: expect.any(String) };
    let found: Answer | undefined;
    expect(await standIn.askedDuring(async () => (found = await search(key, { query: 'zebra' })))).toEqual([]);
    expect(found?.json).toMatchObject({ hits: [{ source: 'zebra.md' }], downgraded });
    expect((await platform.ask('POST /v1/context', { key, json: { query: 'zebra' } })).json).toMatchObject({ downgraded });
    expect((await search(key, { query: 'zebra', strategy: 'SparseOnly' })).json).not.toHaveProperty('downgraded');
  });

  it('may have so many live streams open', async () => {
    const { key } = await aTenant({ tier: 'small' });
    const stop = new AbortController();
    const open = await fetch(`${platform.url}/v1/events/live`, { headers: { authorization: `Bearer ${key}` }, signal: stop.signal });
    expect(open.status).toBe(200);
    expect(expectProblem(await platform.ask('GET /v1/events/live', { key }), 403, 'QuotaExceeded')).toMatchObject({ quota: { limit: 'liveStreams', allowed: 1, used: 1 } });
    stop.abort();
  });

  it('keeps its limits to itself: only an operator sees those of others, and sets any', async () => {
    const { tenant, key, client } = await aTenant({ tier: 'small', overrides: { quotas: { documents: 9 } } });
    for (const role of ['reader', 'writer', 'admin'] as const) {
      const theirs = (await aKey({ tenant, roles: [role] })).key;
      for (const id of [tenant, 'default', 'nobody'])
        for (const method of ['GET', 'PUT']) expectProblem(await platform.ask(`${method} /v1/tenants/${id}/limits`, { key: theirs, ...(method === 'PUT' ? { json: { tier: 'open' } } : {}) }), 403, 'Forbidden');
      expectProblem(await platform.ask('GET /v1/tenants', { key: theirs }), 403, 'Forbidden');
      expect((await platform.ask('GET /v1/usage', { key: theirs })).json).toMatchObject({ tenant, limits: { quotas: { documents: 9, bytes: 2_000 } } });
    }
    expect((await client.tenants.usage()).use.documents).toBe(0);
    expect((await search(key)).status).toBe(200);
    const listed = await platform.client.tenants.list();
    expect(listed.find((one) => one.tenant === tenant)).toMatchObject({ tier: 'small', assigned: { tier: 'small', overrides: { quotas: { documents: 9 } } } });
    expect(listed.find((one) => one.tenant === 'default')).toMatchObject({ tier: null, limits: {}, assigned: { tier: null, overrides: {} } });
  });

  it.each([
    [{ tier: 'gold' }, 'tier', 'one of small, slow, open'],
    [{ tier: 5 }, 'tier', 'a text'],
    [{ overrides: { quotas: { documents: -1 } } }, 'overrides.quotas.documents', undefined],
    [{ overrides: { quotas: { pages: 1 } } }, 'overrides.quotas.pages', 'no such field'],
    [{ overrides: { rates: { search: { perSecond: 3, burst: 10 } } } }, 'overrides.rates.search.burst', undefined],
    [{ limits: {} }, 'limits', 'no such field'],
  ])('is not given what cannot be: %j', async (json, field, expected) => {
    const problem = expectProblem(await platform.ask('PUT /v1/tenants/some/limits', { json }), 400, 'InvalidValue');
    expect(problem).toMatchObject({ field, ...(expected === undefined ? {} : { expected }) });
  });
});
