import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { submitText } from '@palimpsest/e2e-support/submit';
import { eventually } from '@palimpsest/test-kit/eventually';

const endpointOf = (standIn: EmbeddingStandIn, model = 'stand-in') => {
  const { PALIMPSEST_OPENAI_BASE_URL: baseUrl = '', PALIMPSEST_OPENAI_DIMENSIONS: dimensions } = standIn.settings();
  return { baseUrl, model, dimensions: Number(dimensions), retries: 0 };
};

describe('models that operators add at run time', () => {
  let standIn: EmbeddingStandIn;
  let data: string;
  let platform: PlatformUnderTest;
  const idOf = (model: string) => `openai_${model}_64`;

  beforeAll(async () => {
    [standIn, data] = [await EmbeddingStandIn.open(), await aDataFolder()];
    platform = await PlatformUnderTest.start(data, standIn.settings('old'));
    await submitText(platform.client, { sourceId: 'first.md', text: 'The first text.' });
  });

  it('are available at once, are tested, and are available again after a kill', async () => {
    await expect(platform.client.models.add({ openai: endpointOf(standIn), limits: { batchSize: 2 } })).resolves.toMatchObject({
      id: idOf('stand-in'),
      available: true,
      origin: 'operator',
    });
    await expect(platform.client.models.test(idOf('stand-in'))).resolves.toMatchObject({ dimensions: 64, texts: 6, repeatable: true });
    await platform.kill();
    platform = await PlatformUnderTest.start(data, standIn.settings('old'));
    expect((await platform.client.models.list()).map(({ id }) => id)).toEqual([
      idOf('old'),
      'onnx_all-minilm-l6-v2-int8_384',
      idOf('stand-in'),
    ]);
  });

  it('serve scopes whose model was missing, and cannot be removed while they do', async () => {
    await platform.client.models.remove(idOf('stand-in'));
    await platform.stop();
    platform = await PlatformUnderTest.start(data, standIn.settings('new'));
    await platform.client.documents.submitText({ sourceId: 'second.md', text: 'The second text.' });
    const stateOf = async (source: string) => (await platform.client.documents.list({ source })).documents[0];
    await eventually('the document waits for its model', async () =>
      (await stateOf('second.md'))?.reason === 'waiting-for-model' ? true : undefined,
    );
    await platform.client.models.add({ openai: endpointOf(standIn, 'old') });
    await eventually('the document is indexed', async () => ((await stateOf('second.md'))?.status === 'indexed' ? true : undefined));
    await expect(platform.client.models.remove(idOf('old'))).rejects.toMatchObject({
      status: 409,
      detail: expect.stringContaining('has generations in 1 scopes: deployment'),
    });
  });

  it('are refused in words: a wrong width, an endpoint that is away, a folder elsewhere, a variable that could be a secret', async () => {
    const { models } = platform.client;
    await models.add({ openai: { ...endpointOf(standIn, 'wide'), dimensions: 8 } });
    await expect(models.test('openai_wide_8')).rejects.toMatchObject({ status: 409, code: 'EmbeddingModelMismatch' });
    await models.add({ openai: { ...endpointOf(standIn, 'away'), baseUrl: 'http://127.0.0.1:1/v1' } });
    await expect(models.test(idOf('away'))).rejects.toMatchObject({
      status: 503,
      detail: expect.stringContaining('cannot be reached'),
    });
    for (const onnx of ['../keys', '/etc', 'models/../../keys'])
      await expect(models.add({ onnx })).rejects.toMatchObject({
        status: 400,
        detail: expect.stringMatching(/^onnx: expected a folder below/),
      });
    await expect(models.add({ openai: { ...endpointOf(standIn, 'x'), apiKeyVariable: 'PATH' } })).rejects.toMatchObject({
      status: 400,
      detail: expect.stringContaining('a name that starts with MODEL_API_KEY'),
    });
  });

  it('are managed by operators only; without a key, nothing is listed', async () => {
    const { key } = await platform.client.operations.createApiKey({ name: 'admin', tenant: 'other', teams: [], roles: ['admin'] });
    const admin = platform.as(key);
    expect((await admin.models.list())[0]).toEqual({
      id: idOf('new'),
      version: 'openai:new/64',
      dimensions: 64,
      current: true,
      available: true,
    });
    for (const refused of [admin.models.add({ onnx: 'a' }), admin.models.remove(idOf('old')), admin.models.test(idOf('old'))])
      await expect(refused).rejects.toMatchObject({ status: 403 });
    const stranger = await fetch(`${platform.url}/v1/models`);
    expect(stranger.status).toBe(401);
  });

  it('are not read from a body that is too large or too deep', async () => {
    const post = (body: string) =>
      fetch(`${platform.url}/v1/models`, {
        method: 'POST',
        headers: { authorization: `Bearer ${platform.key}`, 'content-type': 'application/json' },
        body,
      });
    expect((await post(`{"openai":${'['.repeat(10_000)}${']'.repeat(10_000)}}`)).status).toBe(400);
    expect([400, 413]).toContain((await post(JSON.stringify({ onnx: 'x'.repeat(5_000_000) }))).status);
    expect((await platform.client.models.list()).length).toBeGreaterThan(0);
  });
});
