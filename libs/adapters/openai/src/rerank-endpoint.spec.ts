import { pause } from '@palimpsest/foundation';
import { describeReranker } from '@palimpsest/test-kit';
import {
  answering,
  resultsOf,
  startFakeRerankEndpoint,
  type FakeRerankEndpoint,
  type RerankMisbehaviour,
} from '../test/fake-rerank-endpoint.ts';
import type { EndpointOptions } from './endpoint-requests.ts';
import { openRerankModel } from './rerank-endpoint.ts';

const HASTY = { baseMs: 1, rateLimitBaseMs: 1, maxPauseMs: 50 };
const openOn = ({ url }: Pick<FakeRerankEndpoint, 'url'>, options: Partial<EndpointOptions> = {}) =>
  openRerankModel({ baseUrl: url, apiKey: 'secret', model: 'm', retry: HASTY, ...options });

/** JSON has no NaN; endpoints that compute one send these. */
const NONSENSE: Readonly<Record<string, RerankMisbehaviour>> = {
  'too few results': answering((scores) => ({ results: resultsOf(scores).slice(1) })),
  'too many results': answering((scores) => ({ results: resultsOf([...scores, 1]) })),
  'an index twice': answering((scores) => ({ results: resultsOf(scores).map((result) => ({ ...result, index: 0 })) })),
  'an index out of range': answering((scores) => ({
    results: resultsOf(scores).map((result) => ({ ...result, index: result.index + 1 })),
  })),
  'a negative index': answering((scores) => ({ results: resultsOf(scores).map((result) => ({ ...result, index: result.index - 1 })) })),
  'an index that is a text': answering((scores) => ({
    results: resultsOf(scores).map((result) => ({ ...result, index: String(result.index) })),
  })),
  'a score that is null': answering((scores) => ({ results: resultsOf(scores).map((result) => ({ ...result, relevance_score: null })) })),
  'a score that is a text': answering((scores) => ({
    results: resultsOf(scores).map((result) => ({ ...result, relevance_score: 'NaN' })),
  })),
  'a score beyond all numbers': (response, _, scores) =>
    void response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ results: resultsOf(scores) }).replace(/"relevance_score":[\d.]+/, '"relevance_score":1e999')),
  'no results': answering(() => ({})),
  null: answering(() => null),
  'a list': answering((scores) => resultsOf(scores)),
  'a page of HTML': (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>pump</h1>'),
  'JSON that is cut off': (response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{"results":[{"index"'),
  'an answer of many megabytes': (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const more = (): void => {
      while (!response.destroyed && response.write('[1,2,3],'.repeat(10_000)));
      if (!response.destroyed) response.once('drain', more);
    };
    more();
  },
  'an error with the texts and the key in it': (response, request) =>
    answering(() => ({ error: { message: request.documents.join(), code: request.documents[3], type: 'secret' } }), 400)(
      response,
      request,
      [],
    ),
  'a redirect': (response) => void response.writeHead(307, { location: 'http://127.0.0.1:9/v1/rerank' }).end(),
  'a connection that is reset': (response) => void response.destroy(),
};

const kitEndpoint = await startFakeRerankEndpoint();
const broken = await Promise.all(
  Object.entries(NONSENSE).map(async ([name, always]) => [name, await startFakeRerankEndpoint(always)] as const),
);
afterAll(() => Promise.all([kitEndpoint, ...broken.map(([, endpoint]) => endpoint)].map((endpoint) => endpoint.close())));

describeReranker('openRerankModel', {
  open: () => openOn(kitEndpoint),
  openBroken: Object.fromEntries(broken.map(([name, endpoint]) => [name, () => openOn(endpoint)])),
});

describe('A rerank endpoint', () => {
  let endpoint: FakeRerankEndpoint;
  beforeEach(async () => {
    endpoint = await startFakeRerankEndpoint();
  });
  afterEach(() => endpoint.close());
  const passages = ['a pump', 'a lake'].map((text) => ({ title: 'Handbook', context: 'Water', text }));

  it('gets model, query, documents with title and context first, and the key', async () => {
    await openOn(endpoint).score('pump', passages);
    expect(endpoint.requests).toEqual([
      {
        path: '/v1/rerank',
        authorization: 'Bearer secret',
        model: 'm',
        query: 'pump',
        documents: ['Handbook\nWater\na pump', 'Handbook\nWater\na lake'],
        top_n: 2,
      },
    ]);
  });

  it('gets the beginning of a long passage, without half a character', async () => {
    await openOn(endpoint).score('pump', [{ title: 'T', context: '', text: '🗼'.repeat(10_000) }]);
    expect(endpoint.requests[0]?.documents).toEqual([`T\n${'🗼'.repeat(3_999)}`]);
  });

  it('is called a second time after it failed, and not a third time', async () => {
    const fault = answering(() => ({}), 503);
    endpoint.next(fault);
    await expect(openOn(endpoint).score('pump', passages)).resolves.toHaveLength(2);
    endpoint.next(fault, fault);
    await expect(openOn(endpoint).score('pump', passages)).rejects.toMatchObject({
      code: 'Unavailable',
      message: 'the rerank endpoint failed (status 503)',
    });
    expect(endpoint.requests).toHaveLength(4);
  });

  it('is not called again after it refused a key, or required a longer pause', async () => {
    endpoint.next(answering(() => ({}), 401));
    await expect(openOn(endpoint).score('pump', passages)).rejects.toThrow('the rerank endpoint failed (status 401)');
    endpoint.next(answering(() => ({}), 429, { 'retry-after': '60' }));
    await expect(openOn(endpoint).score('pump', passages)).rejects.toMatchObject({ code: 'Overloaded', retryAfterSeconds: 60 });
    expect(endpoint.requests).toHaveLength(2);
  });

  it('that does not answer in time is Unavailable, and its request is aborted', async () => {
    endpoint.next(() => undefined);
    await expect(openOn(endpoint, { timeoutMs: 50 }).score('pump', passages)).rejects.toThrow('did not respond within 50 ms');
    while (endpoint.aborted() === 0) await pause(5);
  });

  it.each([
    ['baseUrl', { baseUrl: 'ftp://127.0.0.1/v1' }],
    ['model', { model: '' }],
  ])('is not opened with an invalid %s', (field, options) =>
    expect(() => openOn(endpoint, options)).toThrow(expect.objectContaining({ code: 'InvalidValue', field })),
  );
});
