import { DIMENSIONS } from '../test/fake-endpoint.ts';
import { openOpenAiEmbeddings } from './openai-embeddings.ts';
import type { OpenAiEmbeddingsOptions } from './openai-options.ts';

const open = (options: Partial<OpenAiEmbeddingsOptions> = {}) =>
  openOpenAiEmbeddings({ apiKey: 'key', model: 'm', dimensions: DIMENSIONS, ...options });

describe('options', () => {
  it.each([
    ['apiKey', ''],
    ['baseUrl', 'ftp://example.org'],
    ['baseUrl', 'not a URL'],
    ['maxBatch', 0],
    ['maxChars', 1.5],
    ['timeoutMs', -1],
    ['concurrency', 0],
  ])('refuse %s = %j', (field, value) => {
    expect(() => open({ [field]: value })).toThrow(expect.objectContaining({ code: 'InvalidValue', field }));
  });

  it('determine the version', () => {
    expect(open().version).toBe(`openai:m/${DIMENSIONS}`);
    expect(open({ provider: 'local', model: 'bge-m3', dimensions: 1024 }).version).toBe('local:bge-m3/1024');
    expect(() => open({ dimensions: 0 })).toThrow(expect.objectContaining({ code: 'InvalidValue' }));
  });
});
