import { EMPTY_MODEL, newModelOf } from './new-model.ts';

describe('a new model', () => {
  it('is a folder', () => {
    expect(newModelOf({ ...EMPTY_MODEL, source: 'onnx', folder: ' models/e5 ', baseUrl: 'http://unused' })).toEqual({ onnx: 'models/e5' });
  });

  it('is an endpoint, with what was filled in', () => {
    const draft = { ...EMPTY_MODEL, baseUrl: ' http://127.0.0.1:1/v1 ', model: 'e5', dimensions: '384' };
    expect(newModelOf(draft)).toEqual({ openai: { baseUrl: 'http://127.0.0.1:1/v1', model: 'e5', dimensions: 384 } });
    expect(
      newModelOf({
        ...draft,
        apiKeyVariable: 'MODEL_API_KEY',
        queryPrefix: 'query: ',
        passagePrefix: '  ',
        requestsPerMinute: '60',
        price: '0.02',
      }),
    ).toEqual({
      openai: { baseUrl: 'http://127.0.0.1:1/v1', model: 'e5', dimensions: 384, apiKeyVariable: 'MODEL_API_KEY', queryPrefix: 'query: ' },
      limits: { requestsPerMinute: 60 },
      pricePerMillionTokens: 0.02,
    });
  });
});
