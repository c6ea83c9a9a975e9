import { expectProblem } from '@palimpsest/e2e-support/ask';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { eventually } from '@palimpsest/test-kit/eventually';
import { submitText } from '@palimpsest/e2e-support/submit';

const TEXTS = {
  'sso.md': 'SSO is set up by the administrators of your company.',
  'sign-on.md': 'Single sign-on needs certificates that are valid for a year.',
  'cluster.md': 'Kubernetes clusters are upgraded on Tuesdays.',
  'garden.md': 'The roses are watered in the evening.',
};
const RULES = ['sso, single sign-on', 'k8s => kubernetes'];

describe('synonyms', () => {
  let platform: PlatformUnderTest;
  const found = async (query: string, more: object = {}) => {
    const answer = await platform.client.search({ query, strategy: 'SparseOnly', explain: true, ...more });
    return { ...answer, sources: answer.hits.map(({ source }) => source).sort() };
  };

  beforeAll(async () => {
    platform = await PlatformUnderTest.start(await aDataFolder(), (await EmbeddingStandIn.open()).settings());
    await platform.client.knowledgeBases.create({ id: 'manuals', scope: 'team:red' });
    for (const [sourceId, text] of Object.entries(TEXTS)) await submitText(platform.client, { knowledgeBase: 'manuals', sourceId, text });
  });
  afterAll(() => platform.stop());

  it('apply to the next search, and to moments since they exist', async () => {
    const { client } = platform;
    expect((await found('how to use k8s')).sources).toEqual([]);
    const { position, synonyms } = await client.knowledgeBases.update('manuals', { synonyms: RULES });
    expect([synonyms, (await client.knowledgeBases.get('manuals')).synonyms]).toEqual([RULES, RULES]);
    const asked = { atLeast: position };
    const { sources, hits, synonyms: used } = await found('how to use k8s', asked);
    expect(sources).toEqual(['cluster.md']);
    expect(used).toEqual({ added: [{ word: 'k8s', synonyms: ['kubernetes'] }] });
    const [{ snippet, explain } = {}] = hits;
    expect(snippet?.highlights.map(([start, end]) => snippet.text.slice(start, end))).toEqual(['Kubernetes']);
    expect(explain?.lexical?.terms).toEqual(['kubernet']);
    expect((await found('clusters', asked)).synonyms).toBeUndefined();
    expect((await found('Single-Sign-On?', asked)).sources).toEqual(['sign-on.md', 'sso.md']);
    expect((await client.context({ query: 'sso', ...asked })).synonyms).toEqual({
      added: [{ word: 'sso', synonyms: ['single sign-on'] }],
    });
    expect((await found('how to use k8s', { asOf: String(BigInt(position) - 1n) })).sources).toEqual([]);
    expect((await found('how to use k8s', { asOf: position })).sources).toEqual(['cluster.md']);
  });

  it('of then are used by a replay, which names the event that changed them', async () => {
    const { traceId } = await found('k8s');
    const { position } = await platform.client.knowledgeBases.update('manuals', { synonyms: null });
    expect((await found('k8s', { atLeast: position })).sources).toEqual([]);
    const replay = await eventually('the search is on the log', async () => {
      const { status, json } = await platform.ask(`POST /v1/retrievals/${traceId}/replay`, { json: { query: 'k8s', against: {} } });
      return status === 200 ? json : undefined;
    });
    expect(replay).toMatchObject({
      identical: true,
      against: { changes: [{ change: 'lost', causes: [{ kind: 'reconfigured', events: [{ position }] }] }] },
    });
  });

  it('are refused with the rule that is wrong', async () => {
    const answer = await platform.ask('PATCH /v1/knowledge-bases/manuals', { json: { synonyms: ['a, b', 'sso, SSO'] } });
    expect(expectProblem(answer, 400, 'InvalidValue').detail).toMatch(/^synonyms\[1\]: expected a rule such as .* two different words/);
  });
});
