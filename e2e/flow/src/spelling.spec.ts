import { expectProblem } from '@palimpsest/e2e-support/ask';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { eventually } from '@palimpsest/test-kit/eventually';
import { submitText } from '@palimpsest/e2e-support/submit';

const TEXTS = {
  'certificates.md': 'Certificates are renewed every year.',
  'cluster.md': 'The clusters are upgraded on Tuesdays.',
  'garden.md': 'The roses are watered in the evening.',
};

describe('spelling', () => {
  let platform: PlatformUnderTest;
  const found = async (query: string, more: object = {}) => {
    const answer = await platform.client.search({ query, strategy: 'SparseOnly', ...more });
    return { ...answer, sources: answer.hits.map(({ source }) => source).sort() };
  };

  beforeAll(async () => {
    platform = await PlatformUnderTest.start(await aDataFolder(), (await EmbeddingStandIn.open()).settings());
    await platform.client.knowledgeBases.create({ id: 'manuals', scope: 'team:red' });
    for (const [sourceId, text] of Object.entries(TEXTS)) await submitText(platform.client, { knowledgeBase: 'manuals', sourceId, text });
  });
  afterAll(() => platform.stop());

  it('is corrected in a word that no passage has, in any form, and the response says so', async () => {
    const corrections = [{ from: 'certifcates', to: 'certificates', chunks: 1 }];
    const { sources, corrections: made, hits } = await found('renew certifcates');
    expect([sources, made]).toEqual([['certificates.md'], corrections]);
    const [{ snippet } = {}] = hits;
    expect(snippet?.highlights.map(([start, end]) => snippet.text.slice(start, end))).toEqual(['Certificates']);
    expect((await platform.client.context({ query: 'renew certifcates' })).corrections).toEqual(corrections);
    expect((await found('certificates')).corrections).toBeUndefined();
    expect((await found('certifcates', { spelling: false })).sources).toEqual([]);
  });

  it('is corrected by a replay and in the past as it was, also if the word exists now', async () => {
    const { traceId, position } = await found('upgraded clustres');
    await submitText(platform.client, { knowledgeBase: 'manuals', sourceId: 'clustres.md', text: 'Clustres is a misspelt name.' });
    expect(await found('clustres')).toMatchObject({ sources: ['clustres.md'] });
    expect(await found('clustres', { asOf: position })).toMatchObject({ sources: ['cluster.md'], corrections: [{ to: 'clusters' }] });
    const replay = await eventually('the search is on the log', async () => {
      const asked = { json: { query: 'upgraded clustres', against: {} } };
      const { status, json } = await platform.ask(`POST /v1/retrievals/${traceId}/replay`, asked);
      return status === 200 ? json : undefined;
    });
    expect(replay).toMatchObject({ identical: true });
  });

  it('is not corrected for a key with required labels, whose request for it is refused', async () => {
    const limits = { teams: ['red'], requiredLabels: { department: ['hr'] } };
    const { key } = await platform.client.operations.createApiKey({ name: 'hr', roles: ['reader'], ...limits });
    const asking = (json: object) =>
      platform.ask('POST /v1/search', { key, json: { query: 'certifcates', strategy: 'SparseOnly', ...json } });
    const answer = await asking({});
    expect([answer.status, answer.json]).toEqual([200, expect.not.objectContaining({ corrections: expect.anything() })]);
    expect(expectProblem(await asking({ spelling: true }), 400, 'InvalidValue').detail).toMatch(/^spelling: expected false or missing/);
  });
});
