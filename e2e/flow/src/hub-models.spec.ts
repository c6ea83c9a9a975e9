import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { submitText } from '@palimpsest/e2e-support/submit';
import { afterSuite } from '@palimpsest/e2e-support/tidy-up';
import { eventually, HubStandIn } from '@palimpsest/test-kit';

const CLI = fileURLToPath(new URL('../../../apps/cli/bin/palimpsest.mjs', import.meta.url));
const BUILT_IN = fileURLToPath(new URL('../../../models/all-minilm-l6-v2-int8/', import.meta.url));
const ID = 'sentence-transformers/all-MiniLM-L6-v2';
const TEXTS = { 'tides.md': 'The moon pulls the water of the sea.', 'bread.md': 'Dough of flour and yeast rises in an hour.' };
const QUERY = 'Why does the ocean rise and fall?';

/** The built-in model, as a repository of the hub. */
const repository = async () => ({
  files: {
    'config.json': JSON.stringify({ model_type: 'bert', hidden_size: 384, max_position_embeddings: 512 }),
    'tokenizer.json': await readFile(join(BUILT_IN, 'tokenizer.json')),
    'onnx/model_quantized.onnx': await readFile(join(BUILT_IN, 'model.onnx')),
  },
  card: { license: 'apache-2.0', language: 'en' },
});

describe('a model of a Hugging Face repository', () => {
  let hub: HubStandIn;
  let models: string;
  let platform: PlatformUnderTest;
  /** Without the key of a data folder: services have none. */
  const palimpsest = async (...args: string[]): Promise<{ code: number | null; out: string; err: string }> => {
    const inherited = Object.entries(process.env).filter(([name]) => !/^(?:PALIMPSEST_|HF_|NODE_OPTIONS)/.test(name));
    const env = { ...Object.fromEntries(inherited), PALIMPSEST_URL: platform.url, PALIMPSEST_API_KEY: platform.key, HF_ENDPOINT: hub.url };
    const child = spawn(process.execPath, [CLI, ...args], { cwd: models, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let [out, err] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, out, err };
  };
  const found = async () =>
    (await platform.client.search({ query: QUERY, strategy: 'DenseOnly' })).hits.map(({ source, score }) => ({ source, score }));

  beforeAll(async () => {
    [hub, models] = [await HubStandIn.open(), await aDataFolder()];
    afterSuite(() => hub.close());
    platform = await PlatformUnderTest.start(await aDataFolder(), { PALIMPSEST_MODEL_FOLDERS: models });
    for (const [sourceId, text] of Object.entries(TEXTS)) await submitText(platform.client, { sourceId, text });
  });

  it('is added with one command, and serves a scope after a swap with the same vectors', async () => {
    const commit = hub.publish(ID, await repository());
    const version = `onnx:all-MiniLM-L6-v2-int8-${commit.slice(0, 8)}/384`;
    expect(await palimpsest('models', 'add', `hf:${ID}`, '--to', models)).toMatchObject({
      code: 0,
      out: expect.stringContaining(`added ${version} as`),
    });
    const [added] = (await platform.client.models.list()).filter((model) => model.version === version);
    expect(added).toMatchObject({ available: true, origin: 'operator' });
    await expect(platform.client.models.test(added?.id ?? '')).resolves.toMatchObject({ dimensions: 384, repeatable: true });

    const before = await found();
    expect(before[0]?.source).toBe('tides.md');
    await platform.client.swaps.start('deployment', { embeddingVersion: version });
    const swapped = async () => (await platform.client.swaps.get('deployment')).generations.find(({ status }) => status === 'active');
    await eventually('the scope has the model', async () => ((await swapped())?.embeddingVersion === version ? true : undefined), 120_000);
    expect(await found()).toEqual(before);
  });

  it('is not added if a file differs from its digest', async () => {
    const { files, card } = await repository();
    hub.publish('other/all-MiniLM-L6-v2', { files: { ...files, 'README.md': 'Another commit.' }, card });
    hub.replaced.set('onnx/model_quantized.onnx', Buffer.alloc(files['onnx/model_quantized.onnx'].length));
    const before = await platform.client.models.list();
    expect(await palimpsest('models', 'add', 'hf:other/all-MiniLM-L6-v2', '--to', models)).toMatchObject({
      code: 2,
      err: expect.stringContaining('onnx/model_quantized.onnx: expected SHA-256 afdb6f1a'),
    });
    expect(await platform.client.models.list()).toEqual(before);
  });
});
