import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { NewApiKey, PalimpsestClient } from '@palimpsest/client';
import { expectProblem, type Answer } from '@palimpsest/e2e-support/ask';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { eventually } from '@palimpsest/test-kit/eventually';
import { submitText } from '@palimpsest/e2e-support/submit';
import { aDataFolder, PlatformUnderTest, type Settings } from '@palimpsest/e2e-support/platform-under-test';

/** Windows of an hour where a test counts requests, so that no window ends during the test. */
const HOUR = 3_600;
const perHour = (burst: number) => ({ perSecond: burst / HOUR, burst });
const TIERS = {
  tiers: {
    small: {
      quotas: { documents: 3, chunks: 12, bytes: 2_000, knowledgeBases: 1, liveStreams: 1, retrievalsPerDay: 4 },
      strategies: ['SparseOnly'],
    },
    slow: { rates: { search: perHour(3), context: perHour(1), writes: perHour(2) }, ratesPerKey: { search: perHour(2) } },
    open: {},
  },
};

const DAY_MS = 86_400_000;
const LONG_ENOUGH_MS = 60_000;

/** A day begins at midnight UTC, and with it another quota. */
const notAtMidnight = async (): Promise<void> => {
  const left = DAY_MS - (Date.now() % DAY_MS);
  if (left < LONG_ENOUGH_MS) await new Promise((resolve) => setTimeout(resolve, left + 100));
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
  const submit = (key: string, name: string, text = `Text of ${name}.`): Promise<Answer> =>
    platform.ask('POST /v1/documents', { key, json: { sourceId: `${name}.md`, text } });
  const search = (key: string, more: object = {}): Promise<Answer> =>
    platform.ask('POST /v1/search', { key, json: { query: 'text', ...more } });
  const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status);

  it('gets QuotaExceeded with the name of the limit beyond its number of documents, also for concurrent uploads', async () => {
    const { tenant, key, client } = await aTenant({ tier: 'small' });
    const answers = await Promise.all(Array.from({ length: 12 }, (_, i) => submit(key, `d${i}`)));
    expect(statuses(answers).filter((status) => status === 202)).toHaveLength(3);
    for (const refused of answers.filter(({ status }) => status !== 202)) {
      expect(expectProblem(refused, 403, 'QuotaExceeded')).toMatchObject({
        quota: { limit: 'documents', allowed: 3, used: 3, tier: 'small' },
      });
      expect(refused.headers.get('retry-after')).toBeNull();
    }
    const { documents } = await client.documents.list();
    await client.waitFor(documents, { pollMs: 20 });
    expect(await client.tenants.usage()).toMatchObject({ tenant, tier: 'small', use: { documents: 3, chunks: 3, knowledgeBases: 1 } });
    // Existing documents may change, and a deleted document frees quota.
    expect((await submit(key, documents[0]?.sourceId.replace('.md', '') ?? '', 'Another text.')).status).toBe(202);
    expect((await submit(key, 'one-more')).status).toBe(403);
    await client.documents.remove(documents[1]?.documentId ?? '');
    expect((await submit(key, 'one-more')).status).toBe(202);
  });

  it('gets the documents of one upload accepted up to the quota, and the others rejected', async () => {
    const { client } = await aTenant({ tier: 'small' });
    const files = Array.from({ length: 5 }, (_, i) => ({ name: `f${i}.md`, content: Buffer.from(`File number ${i}.`) }));
    const { documents } = await client.documents.upload(files);
    expect(documents.map((document) => (document.status === 'rejected' ? document.error.code : document.status))).toEqual([
      'accepted',
      'accepted',
      'accepted',
      'QuotaExceeded',
      'QuotaExceeded',
    ]);
  });

  it('gets QuotaExceeded beyond its number of bytes and of knowledge bases', async () => {
    const { key } = await aTenant({ tier: 'small' });
    expect(expectProblem(await submit(key, 'large', 'x'.repeat(2_001)), 403, 'QuotaExceeded')).toMatchObject({
      quota: { limit: 'bytes', allowed: 2_000, used: 0 },
    });
    const create = (id: string) => platform.ask('POST /v1/knowledge-bases', { key, json: { id } });
    // The default knowledge base was created for the document that was too large.
    expect(expectProblem(await create('second'), 403, 'QuotaExceeded')).toMatchObject({
      quota: { limit: 'knowledgeBases', allowed: 1, used: 1 },
    });
    expect((await platform.ask('POST /v1/knowledge-bases/default/archive', { key })).status).toBe(200);
    expect((await create('second')).status).toBe(201);
    expect((await create('second')).status).toBe(201);
  });

  it('has a document with too many chunks fail with that reason, and indexed after the quota was raised', async () => {
    const { tenant, client } = await aTenant({ tier: 'small' });
    const sections = Array.from({ length: 20 }, (_, i) => `# Section ${i}\n\n${`word${i} `.repeat(12)}`).join('\n\n');
    const base = await client.knowledgeBases.create({ id: 'short', chunking: { markdown: { maxChars: 200 } } });
    const failed = await submitText(client, { sourceId: 'long.md', knowledgeBase: base.id, text: sections });
    expect(failed.document).toMatchObject({
      status: 'failed',
      reason: 'quota-exceeded',
      detail: expect.stringContaining('the tier "small" allows 12 chunks'),
    });
    await platform.client.tenants.setLimits(tenant, { tier: 'small', overrides: { quotas: { chunks: null, bytes: null } } });
    expect((await submitText(client, { sourceId: 'long.md', knowledgeBase: base.id, text: sections })).document).toMatchObject({
      status: 'indexed',
      version: 2,
    });
  });

  it('gets RateLimited beyond its rate of each type of request, with the remaining requests and a Retry-After', async () => {
    const { tenant, key } = await aTenant({ tier: 'slow' });
    const [other, third] = [await aKey({ tenant }), await aKey({ tenant })];
    const first = await search(key);
    expect([first.status, first.headers.get('ratelimit-policy'), first.headers.get('ratelimit')]).toEqual([
      200,
      '"search-key";q=2;w=3600, "search";q=3;w=3600',
      expect.stringMatching(/^"search-key";r=1;t=\d+, "search";r=2;t=\d+$/),
    ]);
    expect(statuses([await search(key), await search(key), await search(other.key), await search(other.key)])).toEqual([
      200, 429, 200, 429,
    ]);
    const refused = await search(third.key);
    const problem = expectProblem(refused, 429, 'RateLimited');
    expect(Number(refused.headers.get('retry-after'))).toBe(refused.json['retryAfterSeconds']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(HOUR - 600);
    expect(refused.headers.get('ratelimit')).toMatch(/"search";r=0;t=\d+/);
    expect(problem.detail).toMatch(/^rate limit exceeded: 3 searches per 3600 s for this tenant; retry in \d+ s$/);
    const context = () => platform.ask('POST /v1/context', { key, json: { query: 'text' } });
    expect(statuses([await context(), await context()])).toEqual([200, 429]);
    expect(statuses([await submit(key, 'a'), await submit(key, 'b'), await submit(key, 'c')])).toEqual([202, 202, 429]);
    // Neither lists nor requests of other tenants are counted.
    expect((await platform.ask('GET /v1/documents', { key })).headers.get('ratelimit')).toBeNull();
    const neighbour = await aTenant({ tier: 'slow' });
    expect((await search(neighbour.key)).status).toBe(200);
  });

  it('gets QuotaExceeded beyond its retrievals per day, also after a restart', async () => {
    await notAtMidnight();
    const { tenant, key, client } = await aTenant({ tier: 'small' });
    const answers = await Promise.all(Array.from({ length: 9 }, () => search(key)));
    expect(statuses(answers).filter((status) => status === 200)).toHaveLength(4);
    const refused = answers.find(({ status }) => status !== 200);
    expect(refused && expectProblem(refused, 403, 'QuotaExceeded')).toMatchObject({
      quota: { limit: 'retrievalsPerDay', allowed: 4, used: 4 },
    });
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
    const recorded = async () =>
      (await client.events.list({ types: ['KnowledgeRetrieved'], limit: 100 })).events.length === 4 ? true : undefined;
    await eventually('all retrieval records are on the log', recorded);
    await platform.stop();
    platform = await PlatformUnderTest.start(platform.data, settings);
    expect((await search(key)).status).toBe(403);
    expect((await platform.client.tenants.limits(tenant)).use.retrievalsToday).toBe(4);
  });

  it('is searched with the best strategy of its tier, and the response says so', async () => {
    const { key, client } = await aTenant({ tier: 'small' });
    await submitText(client, { sourceId: 'zebra.md', text: 'The zebra has stripes.' });
    const downgraded = { asked: 'DenseSparseHybrid', used: 'SparseOnly', tier: 'small', detail: expect.any(String) };
    let found: Answer | undefined;
    expect(await standIn.askedDuring(async () => (found = await search(key, { query: 'zebra' })))).toEqual([]);
    expect(found?.json).toMatchObject({ hits: [{ source: 'zebra.md' }], downgraded });
    expect((await platform.ask('POST /v1/context', { key, json: { query: 'zebra' } })).json).toMatchObject({ downgraded });
    expect((await search(key, { query: 'zebra', strategy: 'SparseOnly' })).json).not.toHaveProperty('downgraded');
  });

  it('gets QuotaExceeded beyond its number of live streams', async () => {
    const { key } = await aTenant({ tier: 'small' });
    const stop = new AbortController();
    const open = await fetch(`${platform.url}/v1/events/live`, { headers: { authorization: `Bearer ${key}` }, signal: stop.signal });
    expect(open.status).toBe(200);
    expect(expectProblem(await platform.ask('GET /v1/events/live', { key }), 403, 'QuotaExceeded')).toMatchObject({
      quota: { limit: 'liveStreams', allowed: 1, used: 1 },
    });
    stop.abort();
  });

  it('sees only its own limits; only an operator sees and sets those of others', async () => {
    const { tenant, key, client } = await aTenant({ tier: 'small', overrides: { quotas: { documents: 9 } } });
    for (const role of ['reader', 'writer', 'admin'] as const) {
      const theirs = (await aKey({ tenant, roles: [role] })).key;
      for (const id of [tenant, 'default', 'unknown'])
        for (const method of ['GET', 'PUT'])
          expectProblem(
            await platform.ask(`${method} /v1/tenants/${id}/limits`, {
              key: theirs,
              ...(method === 'PUT' ? { json: { tier: 'open' } } : {}),
            }),
            403,
            'Forbidden',
          );
      expectProblem(await platform.ask('GET /v1/tenants', { key: theirs }), 403, 'Forbidden');
      expect((await platform.ask('GET /v1/usage', { key: theirs })).json).toMatchObject({
        tenant,
        limits: { quotas: { documents: 9, bytes: 2_000 } },
      });
    }
    expect((await client.tenants.usage()).use.documents).toBe(0);
    expect((await search(key)).status).toBe(200);
    const listed = await platform.client.tenants.list();
    expect(listed.find((one) => one.tenant === tenant)).toMatchObject({
      tier: 'small',
      assigned: { tier: 'small', overrides: { quotas: { documents: 9 } } },
    });
    expect(listed.find((one) => one.tenant === 'default')).toMatchObject({
      tier: null,
      limits: {},
      assigned: { tier: null, overrides: {} },
    });
  });

  it.each([
    [{ tier: 'gold' }, 'tier', 'one of small, slow, open'],
    [{ tier: 5 }, 'tier', 'a string'],
    [{ overrides: { quotas: { documents: -1 } } }, 'overrides.quotas.documents', undefined],
    [{ overrides: { quotas: { pages: 1 } } }, 'overrides.quotas.pages', 'a known field'],
    [{ overrides: { rates: { search: { perSecond: 3, burst: 10 } } } }, 'overrides.rates.search.burst', undefined],
    [{ limits: {} }, 'limits', 'a known field'],
  ])('cannot be given invalid limits: %j', async (json, field, expected) => {
    const problem = expectProblem(await platform.ask('PUT /v1/tenants/some/limits', { json }), 400, 'InvalidValue');
    expect(problem).toMatchObject({ field, ...(expected === undefined ? {} : { expected }) });
  });
});
