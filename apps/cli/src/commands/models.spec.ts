import { FakePlatform } from '../../test/fake-platform.ts';
import { run } from '../../test/run.ts';
import type { Ran } from '../../test/run.ts';

let platform: FakePlatform;
beforeEach(async () => {
  platform = await FakePlatform.open();
});
afterEach(() => platform.close());
const palimpsest = (...args: string[]): Promise<Ran> => run([...args, '--url', platform.url]);

const MODEL = { id: 'local_bge-m3_1024', version: 'local:bge-m3/1024', dimensions: 1024, current: false, available: true };

describe('palimpsest models list', () => {
  it('shows state, limits and price, and why a model is not available', async () => {
    const models = [
      { ...MODEL, origin: 'file', loaded: true, limits: { batchSize: 8 }, pricePerMillionTokens: 0.02, location: 'http://m/v1' },
      { ...MODEL, id: 'other', available: false, origin: 'operator', problem: 'no such folder' },
    ];
    platform.on('GET /v1/models', () => ({ json: { models } }));
    const { code, out } = await palimpsest('models');
    expect(code).toBe(0);
    expect(out).toMatch(/local_bge-m3_1024 +local:bge-m3\/1024 +loaded +file +batchSize 8 +\$0\.02 per million tokens +http:\/\/m\/v1/);
    expect(out).toContain('not available');
    expect(out).toContain('other: no such folder');
    expect(JSON.parse((await palimpsest('models', 'list', '--json')).out)).toEqual({ models });
  });
});

describe('palimpsest models add', () => {
  const sent: unknown[] = [];
  beforeEach(() => {
    sent.length = 0;
    platform.on('POST /v1/models', ({ json }) => {
      sent.push(json);
      return { status: 201, json: MODEL };
    });
  });

  it('sends a folder', async () => {
    expect(await palimpsest('models', 'add', '--onnx', 'bge', '--concurrency', '2')).toMatchObject({
      code: 0,
      out: 'added local:bge-m3/1024 as local_bge-m3_1024\nnext: palimpsest models test local_bge-m3_1024\n',
    });
    expect(sent).toEqual([{ onnx: 'bge', limits: { concurrency: 2 } }]);
  });

  it('sends an endpoint with limits and price', async () => {
    const options = ['--openai', 'http://m/v1', '--model', 'bge-m3', '--dimensions', '1024', '--api-key-variable', 'MODEL_API_KEY_M'];
    await palimpsest('models', 'add', ...options, '--retries', '0', '--tokens-per-minute', '1000', '--price', '0.02');
    expect(sent).toEqual([
      {
        openai: { baseUrl: 'http://m/v1', model: 'bge-m3', dimensions: 1024, apiKeyVariable: 'MODEL_API_KEY_M', retries: 0 },
        limits: { tokensPerMinute: 1000 },
        pricePerMillionTokens: 0.02,
      },
    ]);
  });

  it.each([
    [[], 'give a repository (hf:<owner>/<name>), --onnx or --openai'],
    [['--onnx', 'a', '--openai', 'http://m/v1'], 'give a repository (hf:<owner>/<name>), --onnx or --openai'],
    [['hf:a/b', '--onnx', 'a'], 'give a repository (hf:<owner>/<name>), --onnx or --openai'],
    [['--openai', 'http://m/v1', '--model', 'm'], '--openai needs --model and --dimensions'],
    [['--onnx', 'a', '--query-prefix', 'q: '], '--query-prefix is for --openai and repositories'],
    [['hf:a/b', '--retries', '2'], '--retries is for --openai'],
    [['--openai', 'http://m/v1', '--weights', 'fp32'], '--weights is for repositories'],
    [['hf:a/b', '--pooling', 'max'], 'Must be mean, cls, last.'],
    [['--onnx', 'a', '--price', 'free'], 'Must be a number from 0.'],
  ])('refuses %j', async (options, message) => {
    const { code, err } = await palimpsest('models', 'add', ...options);
    expect(code).toBe(2);
    expect(err).toContain(message);
    expect(sent).toEqual([]);
  });
});

describe('palimpsest models remove and test', () => {
  it('accept an id or a version', async () => {
    const result = {
      ...MODEL,
      texts: 6,
      tokens: 90,
      loadMs: 12,
      ms: 30,
      tokensPerSecond: 3000,
      unitLengthError: 0,
      repeatable: true,
      digest: 'abc',
    };
    platform
      .on('DELETE /v1/models/local_bge-m3_1024', () => ({ status: 204 }))
      .on('POST /v1/models/local_bge-m3_1024/test', () => ({ json: result }));
    const { code, out } = await palimpsest('models', 'test', 'local:bge-m3/1024');
    expect(code).toBe(0);
    expect(out).toContain('6 in 30 ms');
    expect(out).toContain('digest abc');
    expect(await palimpsest('models', 'remove', 'local_bge-m3_1024', 'local:bge-m3/1024')).toMatchObject({
      code: 0,
      out: 'removed local_bge-m3_1024\nremoved local_bge-m3_1024\n',
    });
  });
});
