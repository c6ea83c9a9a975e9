import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { eventually } from '@palimpsest/test-kit/eventually';
import { submitText } from '@palimpsest/e2e-support/submit';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { recordedEvents } from '@palimpsest/e2e-support/recorded-events';

const SECRETS = {
  text: 'hippogriffs graze quietly',
  query: 'wherefore graze hippogriffs',
  title: 'Bestiary of marvels',
  broken: 'unfinished marvellous json',
};

describe('operating the platform', () => {
  let standIn: EmbeddingStandIn;
  let platform: PlatformUnderTest;
  beforeAll(async () => {
    standIn = await EmbeddingStandIn.open();
    platform = await PlatformUnderTest.start(await aDataFolder(), { ...standIn.settings(), PALIMPSEST_LOG_LEVEL: 'debug' });
  });

  it('reports that it is alive and ready, and its name', async () => {
    expect(await platform.ask('GET /health/live')).toMatchObject({ status: 200, json: { status: 'ok' } });
    expect(await platform.ask('GET /health/ready')).toMatchObject({ status: 200, json: { status: 'ok' } });
    expect(await platform.ask('GET /')).toMatchObject({ status: 200, json: { name: 'palimpsest', openapi: '/openapi.json' } });
  });

  it('shows each key its own rights', async () => {
    const { key } = await platform.client.operations.createApiKey({
      name: 'ann',
      tenant: 'acme',
      teams: ['red'],
      user: 'ann',
      roles: ['writer'],
    });
    expect(await platform.as(key).me()).toEqual({ tenant: 'acme', teams: ['red'], user: 'ann', roles: ['writer'] });
    expect((await platform.ask('GET /v1/me', { key: undefined })).status).toBe(401);
  });

  it('reports counts and the progress of projections', async () => {
    const { position } = {
      ...(await submitText(platform.client, { sourceId: 'counted.md', text: SECRETS.text, title: SECRETS.title })),
      position: '0',
    };
    const status = await eventually('no projection lags', async () => {
      const current = await platform.client.operations.status();
      return current.projections?.every(({ lag }) => lag === 0) ? current : undefined;
    });
    expect(status).toMatchObject({
      ready: true,
      version: expect.stringMatching(/^\d/),
      documents: { pending: 0, processing: 0, indexed: 1, failed: 0, total: 1 },
      chunks: 1,
      queue: { depth: 0, capacity: 5000 },
      models: { current: 'openai:stand-in/64' },
      scopes: [{ scope: 'deployment', generations: [{ generation: 'g1', status: 'active' }] }],
    });
    expect(BigInt(status.log?.position ?? 0)).toBeGreaterThan(BigInt(position));
    expect(status.projections?.map(({ name }) => name).sort()).toEqual(['catalog', 'lexical', 'vectors']);
  });

  it('returns a request id with every response, the one of the caller if it is valid', async () => {
    const idOf = async (given?: string) =>
      (await platform.ask('GET /health/live', given === undefined ? {} : { headers: { 'x-request-id': given } })).headers.get(
        'x-request-id',
      );
    expect(await idOf('my-request.1')).toBe('my-request.1');
    expect(await idOf()).toMatch(/^[0-9a-f-]{36}$/);
    expect(await idOf('two words; <script>')).toMatch(/^[0-9a-f-]{36}$/);
    expect(await idOf('x'.repeat(101))).toMatch(/^[0-9a-f-]{36}$/);
    const failing = await platform.ask('GET /v1/documents/nonsense', { headers: { 'x-request-id': 'failing-1' } });
    expect(failing.headers.get('x-request-id')).toBe('failing-1');
    const unauthenticated = await platform.ask('GET /v1/documents', { key: 'wrong', headers: { 'x-request-id': 'stranger-1' } });
    expect(unauthenticated.headers.get('x-request-id')).toBe('stranger-1');
  });

  it('records the events of a request under its id', async () => {
    await platform.ask('POST /v1/documents', {
      json: { sourceId: 'followed.md', text: 'To be followed.' },
      headers: { 'x-request-id': 'follow-me' },
    });
    const types = await eventually('the document is indexed', async () => {
      const followed = (await recordedEvents(platform.data))
        .filter(({ metadata }) => metadata['correlationId'] === 'follow-me')
        .map(({ type }) => type);
      return followed.includes('DocumentIndexed') ? followed : undefined;
    });
    expect(types).toEqual(['DocumentSubmitted', 'DocumentProcessingStarted', 'KnowledgeChunkIndexed', 'DocumentIndexed']);
  });

  it('logs JSON lines without texts of documents, queries or keys', async () => {
    await platform.client.search({ query: SECRETS.query });
    await platform.ask('POST /v1/context', { json: { query: SECRETS.query } });
    await platform.ask('POST /v1/search', { json: { query: SECRETS.query, nonsense: SECRETS.broken } });
    await platform.ask('POST /v1/search', { body: `{"query": "${SECRETS.broken}`, headers: { 'content-type': 'application/json' } });
    standIn.refusal = { when: (text) => text.includes('hippogriff'), status: 400 };
    await submitText(platform.client, { sourceId: 'refused.md', text: `More ${SECRETS.text}` });
    standIn.refusal = undefined;
    const lines = await eventually('the last request is logged', () => {
      const written = platform.stderr.trim().split('\n');
      return Promise.resolve(written.filter((line) => line.includes('/v1/search')).length >= 3 ? written : undefined);
    });
    for (const line of lines)
      expect(JSON.parse(line)).toMatchObject({
        level: expect.any(Number),
        time: expect.any(String),
        service: expect.stringMatching(/^(platform|ingestion|reembedding|query)$/),
        msg: expect.any(String),
      });
    expect(lines.map((line) => JSON.parse(line) as Record<string, unknown>)).toContainEqual(
      expect.objectContaining({
        msg: 'request',
        method: 'POST',
        route: '/v1/search',
        status: 200,
        ms: expect.any(Number),
        id: expect.any(String),
      }),
    );
    for (const secret of [
      ...Object.values(SECRETS)
        .flatMap((text) => text.split(' '))
        .filter((word) => word.length > 7),
      platform.key,
    ])
      expect({ secret, leaked: platform.stderr.includes(secret) }).toEqual({ secret, leaked: false });
  });
});
