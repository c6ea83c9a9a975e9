import { pause } from '@palimpsest/foundation';
import { describeEmbeddingProvider } from '@palimpsest/test-kit';

import { changed, DIMENSIONS, startFakeEndpoint, status, type FakeEndpoint } from '../test/fake-endpoint.ts';
import { openOn } from '../test/open-on.ts';
import type { OpenAiEmbeddingsOptions } from './openai-options.ts';

const kitEndpoint = await startFakeEndpoint();
afterAll(() => kitEndpoint.close());

describe.each(['base64', 'float'] as const)('with vectors as %s', (encoding) =>
  describeEmbeddingProvider('openOpenAiEmbeddings', {
    open: () => openOn(kitEndpoint, { encoding }),
    openWithWrongWidth: () => openOn(kitEndpoint, { encoding, dimensions: DIMENSIONS + 1 }),
    longText: 'word '.repeat(4000),
    runs: 15,
  }),
);

describe('the OpenAI adapter', () => {
  let endpoint: FakeEndpoint;
  beforeEach(async () => {
    endpoint = await startFakeEndpoint();
  });
  afterEach(() => endpoint.close());

  const open = (options: Partial<OpenAiEmbeddingsOptions> = {}) => openOn(endpoint, options);

  describe('requests', () => {
    it('contain key, model and encoding, and dimensions only if configured', async () => {
      await open({ apiKey: 'secret' }).embed(['text'], 'passage');
      await open({ sendDimensions: true, encoding: 'float' }).embed(['text'], 'passage');
      expect(endpoint.requests).toEqual([
        { authorization: 'Bearer secret', model: 'm', input: ['text'], encoding_format: 'base64' },
        { authorization: 'Bearer key', model: 'm', input: ['text'], encoding_format: 'float', dimensions: DIMENSIONS },
      ]);
    });

    it('are split by number of texts and by characters, and their results are returned in order', async () => {
      const texts = ['a', 'b', 'c', 'dddddd', 'eeeeee', 'f'];
      const embeddings = await open({ maxBatch: 2, maxBatchChars: 10 }).embed(texts, 'passage');
      expect(endpoint.requests.map(({ input }) => input).sort()).toEqual([
        ['a', 'b'],
        ['c', 'dddddd'],
        ['eeeeee', 'f'],
      ]);
      const alone = await Promise.all(texts.map((text) => open().embed([text], 'passage')));
      expect(embeddings.map(({ vector }) => vector)).toEqual(alone.flat().map(({ vector }) => vector));
    });

    it('truncate each text to the limit of the model, prefix included, without splitting a character', async () => {
      const provider = open({ passagePrefix: 'passage: ', queryPrefix: 'query: ', maxTokens: 20_000, maxChars: 16_000 });
      const [cut] = await provider.embed(['🗼'.repeat(9000)], 'passage');
      expect(cut?.truncated).toBe(true);
      expect(endpoint.requests[0]?.input).toEqual([`passage: ${'🗼'.repeat(7995)}`]);
      const [whole] = await provider.embed(['x'.repeat(16_000 - 'query: '.length)], 'query');
      expect(whole?.truncated).toBe(false);
    });

    it('truncate texts with more tokens than the limit, also those of a single long word', async () => {
      const provider = open({ passagePrefix: 'passage: ', maxTokens: 10 });
      const embeddings = await provider.embed(['one two three', 'one '.repeat(50), 'x'.repeat(9_000)], 'passage');
      expect(embeddings.map(({ truncated }) => truncated)).toEqual([false, true, true]);
      expect(endpoint.requests[0]?.input).toEqual(['passage: one two three', `passage: ${'one '.repeat(7)}`, `passage: ${'x'.repeat(28)}`]);
    });

    it('have the limit of OpenAI’s own models, and 512 tokens for an unknown model', async () => {
      const windows = ['text-embedding-3-small', 'm'].map((model) => open({ model }).window());
      expect((await Promise.all(windows)).map(({ tokens }) => tokens)).toEqual([8_191, 512]);
    });

    it('distribute the token count by text length', async () => {
      const [short, long] = await open().embed(['one two', 'one two three four five six'], 'passage');
      expect((short?.tokens ?? 0) + (long?.tokens ?? 0)).toBe(8);
      expect(long?.tokens).toBeGreaterThan(short?.tokens ?? 0);
    });

    it('estimate the token count if the endpoint does not report it', async () => {
      endpoint.next(changed(({ data }) => ({ data })));
      expect((await open().embed(['twelve chars'], 'passage'))[0]?.tokens).toBe(3);
    });

    it('ignore the OPENAI_* variables of the environment', async () => {
      process.env['OPENAI_BASE_URL'] = 'http://127.0.0.1:9/v1';
      await open().embed(['text'], 'passage');
      delete process.env['OPENAI_BASE_URL'];
      expect(endpoint.requests).toHaveLength(1);
    });
  });

  describe('a call', () => {
    it('that is aborted aborts its request', async () => {
      const controller = new AbortController();
      endpoint.next(() => controller.abort(new Error('enough')));
      await expect(open().embed(['text'], 'passage', controller.signal)).rejects.toThrow('enough');
      while (endpoint.aborted() === 0) await pause(5);
      expect(endpoint.requests).toHaveLength(1);
    });

    it('that is aborted during a pause ends immediately', async () => {
      const controller = new AbortController();
      const slow = { baseMs: 60_000, rateLimitBaseMs: 60_000, maxPauseMs: 60_000 };
      endpoint.next((response, request) => {
        status(429, { 'retry-after': '50' })(response, request);
        setTimeout(() => controller.abort(new Error('enough')), 20);
      });
      await expect(open({ retry: slow }).embed(['text'], 'passage', controller.signal)).rejects.toThrow('enough');
    });

    it('sends no more requests after a permanent failure', async () => {
      endpoint.next(status(400));
      const texts = Array.from({ length: 10 }, (_, i) => `text ${i}`);
      await expect(open({ maxBatch: 1, concurrency: 1 }).embed(texts, 'passage')).rejects.toMatchObject({ code: 'InvalidValue' });
      expect(endpoint.requests).toHaveLength(1);
    });

    it('is Unavailable once the provider is closed, and when it closes', async () => {
      const provider = open();
      endpoint.next(() => void provider.close());
      await expect(provider.embed(['text'], 'passage')).rejects.toMatchObject({
        code: 'Unavailable',
        message: expect.stringContaining('closed'),
      });
      await expect(provider.embed(['text'], 'passage')).rejects.toMatchObject({ code: 'Unavailable' });
    });
  });
});
