import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import { readModelsFile } from './models-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'models-file-'));
const file = join(folder, 'models.json');
afterAll(() => rmSync(folder, { recursive: true }));

const read = (content: unknown) => {
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return readModelsFile(file);
};
const refusal = (content: unknown): string => {
  try {
    read(content);
  } catch (error) {
    if (error instanceof InvalidValue) return error.message.replaceAll(file, 'models.json');
    throw error;
  }
  return 'accepted';
};
const ENDPOINT = { baseUrl: 'http://127.0.0.1:8080/v1', model: 'bge-m3', dimensions: 1024 };

describe('the file of models', () => {
  it('lists folders, relative to the file, and endpoints, with limits and prices', () => {
    const limits = { batchSize: 8, concurrency: 2, requestsPerMinute: 60, tokensPerMinute: 1_000 };
    expect(
      read({
        models: [
          { onnx: 'bge', default: true },
          { openai: ENDPOINT, limits, pricePerMillionTokens: 0.02 },
        ],
      }),
    ).toEqual([
      { definition: { onnx: join(folder, 'bge') }, isDefault: true, at: expect.stringMatching(/models\[0\]$/) },
      {
        definition: { openai: ENDPOINT, limits, pricePerMillionTokens: 0.02 },
        isDefault: false,
        at: expect.stringMatching(/models\[1\]$/),
      },
    ]);
  });

  it('is not needed', () => expect(readModelsFile(undefined)).toEqual([]));

  it.each([
    [
      { models: [{ onnx: 'a' }, { openai: { ...ENDPOINT, dimensions: 0 } }] },
      /^PALIMPSEST_MODELS \(models\.json\)\.models\[1\]\.openai\.dimensions: expected .*1/,
    ],
    [{ models: [{ onnx: 'a', openai: ENDPOINT }] }, /models\[0\]: expected either `onnx` \(a folder\) or `openai`/],
    [{ models: [{}] }, /models\[0\]: expected either `onnx`/],
    [{ models: [{ openai: { ...ENDPOINT, apiKey: 'sk-secret' } }] }, /models\[0\]\.openai\.apiKey: expected a known field/],
    [{ models: [{ openai: { ...ENDPOINT, apiKeyVariable: 'sk-1234' } }] }, /apiKeyVariable: expected the name of an environment variable/],
    [{ models: [{ openai: { ...ENDPOINT, baseUrl: 'file:///etc/passwd' } }] }, /baseUrl: expected an http or https address/],
    [
      { models: [{ openai: { ...ENDPOINT, baseUrl: 'http://user:pass@host/v1' } }] },
      /baseUrl: expected an address without user name and password/,
    ],
    [{ models: [{ onnx: 'a', limits: { concurrency: 0 } }] }, /models\[0\]\.limits\.concurrency: expected/],
    [
      {
        models: [
          { onnx: 'a', default: true },
          { onnx: 'b', default: true },
        ],
      },
      /models: expected at most one model with `"default": true`/,
    ],
    [{ models: [] }, /models: expected/],
    ['{', /^PALIMPSEST_MODELS: expected a JSON file, got "models\.json/],
    [`{"models":[${'['.repeat(2_000_000)}`, /expected a file of at most/],
  ])('refuses %j', (content, message) => expect(refusal(content)).toMatch(message));

  it('refuses a file that is missing', () =>
    expect(() => readModelsFile(join(folder, 'none.json'))).toThrow('PALIMPSEST_MODELS: expected a file that can be read'));
});
