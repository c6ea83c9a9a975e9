import { factsOf, limitsOf, testFactsOf } from './model-facts.ts';

const MODEL = { id: 'onnx_mini_384', version: 'onnx:mini/384', dimensions: 384, current: true, available: true };

describe('what is shown of a model', () => {
  it('is only what the server says', () => {
    expect(factsOf(MODEL)).toEqual([['Dimensions', '384']]);
    expect(factsOf({ ...MODEL, loaded: false, location: '/models/mini', pricePerMillionTokens: 0 })).toEqual([
      ['Dimensions', '384'],
      ['Location', '/models/mini'],
      ['Loaded', 'no; on first use'],
      ['Price', '$0 per million tokens'],
    ]);
  });

  it('names each limit', () => {
    expect(limitsOf({})).toBeUndefined();
    expect(limitsOf({ limits: {} })).toBeUndefined();
    expect(limitsOf({ limits: { batchSize: 1, concurrency: 4, requestsPerMinute: 600, tokensPerMinute: 1_000_000 } })).toBe(
      'at most 1 text in a request, 4 requests at once, 600 requests a minute, 1,000,000 tokens a minute',
    );
  });

  it('names the figures of a test', () => {
    const test = { id: 'x', version: 'x:y/8', dimensions: 8, texts: 2, tokens: 30, loadMs: 1_200, ms: 10, tokensPerSecond: 2_999.6 };
    expect(testFactsOf({ ...test, unitLengthError: 0, repeatable: false, digest: 'ab' })).toEqual([
      ['First text', '1.2 s, including the time to load the model'],
      ['All texts', '2 texts with 30 tokens in 10 ms (3,000 tokens per second)'],
      ['Vectors', '8 dimensions, different in a second call'],
      ['Digest', 'ab'],
    ]);
  });
});
