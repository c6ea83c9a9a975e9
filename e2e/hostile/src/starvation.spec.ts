import { eventually } from '@palimpsest/test-kit/eventually';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';

const CONCURRENT = 2;
const FAR_AHEAD = '9999999999999999999';

describe('a tenant that requests positions far ahead of the log', () => {
  let platform: PlatformUnderTest;
  let [keyOfA, keyOfB] = ['', ''];

  beforeAll(async () => {
    platform = await PlatformUnderTest.start(await aDataFolder(), {
      PALIMPSEST_CONCURRENT_SEARCHES: String(CONCURRENT),
      PALIMPSEST_CONCURRENT_READS: String(CONCURRENT),
      PALIMPSEST_WAITING_REQUESTS: '40',
    });
    const keyOf = async (tenant: string) =>
      (await platform.client.operations.createApiKey({ name: tenant, tenant, roles: ['writer'] })).key;
    [keyOfA, keyOfB] = [await keyOf('a'), await keyOf('b')];
    for (const key of [keyOfA, keyOfB])
      await eventually('the key is known', async () => ((await platform.ask('GET /v1/me', { key })).status === 200 ? true : undefined));
  });

  it.each(['POST /v1/search', 'POST /v1/context'])(
    'is refused each time, and holds no permit that another tenant needs (%s)',
    async (route) => {
      const ofA = Array.from({ length: 20 }, () => platform.ask(route, { key: keyOfA, json: { query: 'x', atLeast: FAR_AHEAD } }));
      const ofB = await platform.ask(route, { key: keyOfB, json: { query: 'x' } });
      expect(ofB.status).toBe(200);
      for (const answer of await Promise.all(ofA))
        expect([answer.status, answer.json['code'], answer.json['field']]).toEqual([400, 'InvalidValue', 'atLeast']);
    },
  );

  it.each(['GET /v1/documents', 'GET /v1/knowledge-bases', 'GET /v1/events', 'GET /v1/usage', 'GET /v1/overview'])(
    'is also refused by %s, which takes the position from a header',
    async (route) => {
      const ofA = await Promise.all(
        Array.from({ length: 10 }, () => platform.ask(route, { key: keyOfA, headers: { 'palimpsest-at-least': FAR_AHEAD }, fetch })),
      );
      for (const { status, json } of ofA) expect([status, json['field']]).toEqual([400, 'palimpsest-at-least']);
      expect((await platform.ask(route, { key: keyOfB })).status).toBe(200);
    },
  );

  it('learns nothing about the end of the log', async () => {
    const { text } = await platform.ask('POST /v1/search', { key: keyOfA, json: { query: 'x', atLeast: FAR_AHEAD } });
    expect(text.match(/\d+/g)?.filter((digits) => digits !== FAR_AHEAD && digits !== '400')).toEqual([]);
  });

  it('cannot open live streams that stay silent', async () => {
    for (const path of ['events', 'documents'])
      expect((await platform.ask(`GET /v1/${path}/live`, { key: keyOfA, headers: { 'last-event-id': FAR_AHEAD } })).status).toBe(400);
  });
});
