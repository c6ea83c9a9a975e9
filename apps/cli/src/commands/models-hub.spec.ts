import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HubStandIn } from '@palimpsest/test-kit';
import { FakePlatform } from '../../test/fake-platform.ts';
import { run, type Ran } from '../../test/run.ts';

const REPOSITORY = {
  files: {
    'config.json': JSON.stringify({ hidden_size: 384, max_position_embeddings: 512, model_type: 'bert' }),
    'tokenizer.json': JSON.stringify({ model: { type: 'WordPiece', vocab: {} } }),
    'onnx/model.onnx': Buffer.alloc(9_000, 1),
    'onnx/model_quantized.onnx': Buffer.alloc(3_000, 2),
  },
  card: { license: 'mit', language: ['multilingual'] },
};

let hub: HubStandIn;
let platform: FakePlatform;
let cwd: string;
let commit: string;
const sent: unknown[] = [];
beforeEach(async () => {
  [hub, platform, cwd] = [await HubStandIn.open(), await FakePlatform.open(), await mkdtemp(join(tmpdir(), 'palimpsest-models-'))];
  commit = hub.publish('Xenova/multilingual-e5-small', REPOSITORY);
  sent.length = 0;
  platform
    .on('GET /v1/models', () => ({ json: { models: [] } }))
    .on('POST /v1/models', ({ json }) => {
      sent.push(json);
      return { status: 201, json: { id: 'onnx_m_384', version: 'onnx:m/384', dimensions: 384, current: false, available: true } };
    });
});
afterEach(async () => {
  await Promise.all([hub.close(), platform.close(), rm(cwd, { recursive: true })]);
});

const palimpsest = (args: readonly string[], env: Record<string, string> = {}): Promise<Ran> =>
  run(['--url', platform.url, 'models', ...args], { cwd, env: { HF_ENDPOINT: hub.url, ...env } });
const nameOf = (weights: string): string => `multilingual-e5-small-${weights}-${commit.slice(0, 8)}`;

describe('palimpsest models download', () => {
  it('prints what it downloaded, its licence and how it is used', async () => {
    const { code, out, err } = await palimpsest(['download', 'hf:Xenova/multilingual-e5-small', '--to', 'models']);
    const folder = join(cwd, 'models', nameOf('int8'));
    expect({ code, out }).toEqual({
      code: 0,
      out: [
        `downloaded Xenova/multilingual-e5-small at ${commit} (3.11 kB, licence mit)`,
        '384 dimensions, mean pooling, 512 tokens, prefixes "query: " and "passage: "',
        folder,
        `next: palimpsest models add --onnx ${folder}`,
        '',
      ].join('\n'),
    });
    expect(err).toContain('downloading (MB)');
    expect((await readdir(folder)).sort()).toEqual(['model.json', 'model.onnx', 'tokenizer.json']);
    expect(sent).toEqual([]);
  });

  it('prints the model as JSON, and says if it was there before', async () => {
    const args = ['download', 'hf:Xenova/multilingual-e5-small@main', '--to', '.', '--weights', 'fp32', '--name', 'mine', '--json'];
    const options = ['--pooling', 'cls', '--dimensions', '8', '--max-tokens', '16', '--query-prefix', '', '--languages', 'de,fr'];
    const { out } = await palimpsest([...args, ...options]);
    expect(JSON.parse(out)).toMatchObject({
      folder: join(cwd, 'mine'),
      existed: false,
      model: {
        model: 'mine',
        pooling: 'cls',
        dimensions: 8,
        maxTokens: 16,
        queryPrefix: '',
        passagePrefix: 'passage: ',
        languages: ['de', 'fr'],
      },
    });
    expect(JSON.parse((await palimpsest([...args, ...options])).out)).toMatchObject({ existed: true });
  });

  it('sends the token of the environment, and never prints it', async () => {
    hub.publish('team/gated', { ...REPOSITORY, gated: true });
    const args = ['download', 'hf:team/gated', '--to', '.', '--query-prefix', '', '--pooling', 'mean'];
    const refused = await palimpsest(args, { HF_TOKEN: 'hf_wrong_secret' });
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('team/gated is gated') });
    const { code, out, err } = await palimpsest(args, { HF_TOKEN: hub.token });
    expect(code).toBe(0);
    expect([refused.out, refused.err, out, err].join()).not.toMatch(/hf_\w*secret/);
  });

  it.each([
    [['hf:Xenova/multilingual-e5-small', '--to', '.', '--weights', 'int4'], '--weights: expected int8, fp32 or one of onnx/model.onnx'],
    [['hf:Xenova/multilingual-e5-small'], 'no data folder of a server on this machine: name a folder for the model with --to'],
    [['multilingual-e5-small', '--to', '.'], 'model: expected hf:<owner>/<name>'],
    [['hf:Xenova/none', '--to', '.'], 'does not give access to Xenova/none (status 401): check the name'],
    [['hf:Xenova/multilingual-e5-small', '--to', '.', '--languages', 'German'], 'Must be ISO 639-1 codes'],
  ])('refuses %j', async (args, message) => {
    const { code, err } = await palimpsest(['download', ...args]);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });

  it('can be interrupted', async () => {
    const abort = new AbortController();
    hub.beforeFile = async () => abort.abort(new Error('interrupted here'));
    const args = ['models', 'download', 'hf:Xenova/multilingual-e5-small', '--to', '.', '--hub', hub.url];
    expect(await run(args, { cwd, signal: abort.signal })).toMatchObject({ code: 2, err: expect.stringContaining('interrupted here') });
  });
});

describe('palimpsest models add hf:…', () => {
  it('downloads to the models of the data folder and registers the folder', async () => {
    await mkdir(join(cwd, '.palimpsest'));
    const { code, out } = await palimpsest(['add', 'hf:Xenova/multilingual-e5-small', '--concurrency', '2']);
    expect(code).toBe(0);
    expect(out).toContain('added onnx:m/384 as onnx_m_384\nnext: palimpsest models test onnx_m_384\n');
    expect(sent).toEqual([{ onnx: join(cwd, '.palimpsest', 'models', nameOf('int8')), limits: { concurrency: 2 } }]);
  });

  it('downloads nothing if the server does not respond', async () => {
    platform.on('GET /v1/models', () => ({ status: 403, json: { status: 403, code: 'Forbidden', detail: 'no' } }));
    expect(await palimpsest(['add', 'hf:Xenova/multilingual-e5-small', '--to', '.'])).toMatchObject({ code: 2 });
    expect(hub.requests).toEqual([]);
  });
});
