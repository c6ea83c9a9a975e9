import { ServerAway, type Unavailable } from '@palimpsest/knowledge/errors';
import { APIError } from 'openai';

import { startFakeEndpoint, status, type FakeEndpoint, type Misbehaviour } from '../test/fake-endpoint.ts';
import { openOn } from '../test/open-on.ts';
import { endpointFailure } from './endpoint-failure.ts';
import type { OpenAiEmbeddingsOptions } from './openai-options.ts';

const LOADED = Date.now();
let endpoint: FakeEndpoint;
beforeEach(async () => {
  endpoint = await startFakeEndpoint();
});
afterEach(() => endpoint.close());

const open = (options: Partial<OpenAiEmbeddingsOptions> = {}) => openOn(endpoint, options);

describe('an endpoint that fails', () => {
  it.each([429, 500, 502, 503, 408])('is called again after %d', async (code) => {
    endpoint.next(status(code), status(code), status(code));
    await expect(open().embed(['text'], 'passage')).resolves.toHaveLength(1);
    expect(endpoint.requests).toHaveLength(4);
  });

  it.each([
    [429, { code: 'Overloaded', retryable: true, retryAfterSeconds: 30 }],
    [500, { code: 'Unavailable', retryable: true }],
  ])('is called at most four times (%d)', async (code, error) => {
    endpoint.next(...Array.from({ length: 9 }, () => status(code)));
    await expect(open().embed(['text'], 'passage')).rejects.toMatchObject(error);
    expect(endpoint.requests).toHaveLength(4);
  });

  it.each([
    ['7', 7000],
    ['0.5', 500],
    [new Date(Date.now() + 60_000).toUTCString(), 60_000],
    [new Date(Date.now() - 60_000).toUTCString(), 0],
    ['soon', undefined],
  ])('sets the pause with Retry-After: %s', (header, ms) => {
    const { retryAfterMs, again } = endpointFailure(APIError.generate(429, {}, undefined, new Headers({ 'retry-after': header })));
    expect(again).toBe('after rate limit');
    if (ms === undefined) expect(retryAfterMs).toBeUndefined();
    else {
      expect(retryAfterMs).toBeLessThanOrEqual(ms);
      // A date has whole seconds, and was created when this file was loaded.
      expect(retryAfterMs).toBeGreaterThanOrEqual(ms - (Date.now() - LOADED) - 1000);
    }
  });

  it('is not called again if it requires a longer pause than allowed', async () => {
    endpoint.next(status(429, { 'retry-after': '120' }));
    await expect(open().embed(['text'], 'passage')).rejects.toMatchObject({ code: 'Overloaded', retryAfterSeconds: 120 });
    expect(endpoint.requests).toHaveLength(1);
  });

  it.each([
    ['a text that it refuses', status(400), 'InvalidValue'],
    ['a request that is too large', status(413), 'InvalidValue'],
    ['a wrong key', status(401), 'Unavailable'],
    ['an unknown model', status(404), 'Unavailable'],
    ['a used up quota', status(429, {}, { code: 'insufficient_quota' }), 'Unavailable'],
  ])('is not called again after %s, and its message is not passed on', async (_, failure, code) => {
    endpoint.next(failure);
    await expect(open().embed(['text'], 'passage')).rejects.toMatchObject({
      code,
      message: expect.not.stringContaining('a secret text'),
    });
    expect(endpoint.requests).toHaveLength(1);
  });

  it('is away if it cannot be reached', async () => {
    const provider = open({ baseUrl: 'http://127.0.0.1:9/v1' });
    await expect(provider.embed(['text'], 'passage')).rejects.toBeInstanceOf(ServerAway);
  });

  it.each([
    [502, true],
    [503, true],
    [504, true],
    [500, false],
    [408, false],
    [401, false],
  ])('is away if a gateway says so, and not if the error may concern this request only: %d', async (code, away) => {
    endpoint.next(...Array.from({ length: 9 }, () => status(code)));
    const error: unknown = await open()
      .embed(['text'], 'passage')
      .catch((thrown: unknown) => thrown);
    expect([(error as Unavailable).code, error instanceof ServerAway]).toEqual(['Unavailable', away]);
  });

  it.each([
    ['does not respond', () => undefined],
    [
      'stops in the middle of its response',
      (response) => response.writeHead(200, { 'content-type': 'application/json' }).write('{"data":'),
    ],
  ] as [string, Misbehaviour][])('is called again if it %s in time', async (_, silence) => {
    endpoint.next(silence);
    await expect(open({ timeoutMs: 3_000 }).embed(['text'], 'passage')).resolves.toHaveLength(1);
    expect(endpoint.requests).toHaveLength(2);
    expect(endpoint.aborted()).toBe(1);
  });
});
