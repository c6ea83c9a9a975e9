import { z } from 'zod';
import { readSettings } from './process-settings.ts';
import { chatSettings } from './chat-settings.ts';
import { rerankerOf, rerankerSettings } from './reranker-settings.ts';

const read = (env: Readonly<Record<string, string>>) => readSettings(z.object({ ...rerankerSettings, ...chatSettings }), rerankerOf, env);
const ENDPOINT = { PALIMPSEST_RERANKER: 'endpoint', PALIMPSEST_RERANKER_URL: 'http://127.0.0.1:8080/v1', PALIMPSEST_RERANKER_MODEL: 'm' };
const CHAT = { PALIMPSEST_RERANKER: 'chat', PALIMPSEST_CHAT_URL: 'http://127.0.0.1:8080/v1', PALIMPSEST_CHAT_MODEL: 'm' };

describe('The settings of the reranker', () => {
  it('select none by default', () => expect(read({})).toBeUndefined());

  it('select an endpoint, with 30 candidates, half of the weight and half a second', () =>
    expect(read(ENDPOINT)).toEqual({
      endpoint: { baseUrl: 'http://127.0.0.1:8080/v1', model: 'm', apiKey: 'none' },
      candidates: 30,
      weight: 0.5,
      ms: 500,
    }));

  it('select a folder, and two threads', () =>
    expect(read({ PALIMPSEST_RERANKER: 'onnx', PALIMPSEST_RERANKER_FOLDER: '/models/pairs' })).toMatchObject({
      onnx: { folder: '/models/pairs', threads: 2 },
    }));

  it('select the chat model, which gets more time', () =>
    expect(read({ ...CHAT, PALIMPSEST_CHAT_API_KEY: 'secret' })).toEqual({
      chat: { baseUrl: 'http://127.0.0.1:8080/v1', model: 'm', apiKey: 'secret' },
      candidates: 30,
      weight: 0.5,
      ms: 10_000,
    }));

  it('select the companions of scopes, which need no others', () => {
    expect(read({ PALIMPSEST_RERANKER: 'companion' })).toEqual({ companion: true, candidates: 30, weight: 0.2, ms: 500 });
    expect(() => read({ PALIMPSEST_RERANKER: 'companion', PALIMPSEST_RERANKER_MODEL: 'm' })).toThrow(
      'PALIMPSEST_RERANKER_MODEL: expected no value',
    );
  });

  it('leave a chat model to others', () => {
    const { PALIMPSEST_RERANKER, ...chatOnly } = CHAT;
    expect([PALIMPSEST_RERANKER, read(chatOnly)]).toEqual(['chat', undefined]);
    expect(read({ ...chatOnly, ...ENDPOINT })).toMatchObject({ endpoint: { model: 'm' }, ms: 500 });
  });

  it.each([
    ['the chat model where there is none', { PALIMPSEST_RERANKER: 'chat' }, 'PALIMPSEST_CHAT_MODEL: expected a value'],
    ['a chat model without an address', { ...CHAT, PALIMPSEST_CHAT_URL: '' }, 'PALIMPSEST_CHAT_URL: expected a value'],
    ['an address without a chat model', { ...CHAT, PALIMPSEST_CHAT_MODEL: '' }, 'PALIMPSEST_CHAT_MODEL: expected a value'],
    ['a chat model next to an endpoint', { ...CHAT, PALIMPSEST_RERANKER_MODEL: 'm' }, 'PALIMPSEST_RERANKER_MODEL: expected no value'],
    ['an unknown kind', { PALIMPSEST_RERANKER: 'magic' }, 'PALIMPSEST_RERANKER:'],
    ['an endpoint without an address', { ...ENDPOINT, PALIMPSEST_RERANKER_URL: '' }, 'PALIMPSEST_RERANKER_URL:'],
    ['an endpoint without a model', { ...ENDPOINT, PALIMPSEST_RERANKER_MODEL: '' }, 'PALIMPSEST_RERANKER_MODEL:'],
    ['a cross-encoder without a folder', { PALIMPSEST_RERANKER: 'onnx' }, 'PALIMPSEST_RERANKER_FOLDER:'],
    ['a folder and an endpoint', { ...ENDPOINT, PALIMPSEST_RERANKER_FOLDER: 'x' }, 'PALIMPSEST_RERANKER_FOLDER: expected no value'],
    ['an address of another protocol', { ...ENDPOINT, PALIMPSEST_RERANKER_URL: 'file:///etc/passwd' }, 'PALIMPSEST_RERANKER_URL:'],
    ['a model without a kind', { PALIMPSEST_RERANKER_MODEL: 'm' }, 'PALIMPSEST_RERANKER_MODEL: expected no value'],
    ['a weight above 1', { ...ENDPOINT, PALIMPSEST_RERANKER_WEIGHT: '1.5' }, 'PALIMPSEST_RERANKER_WEIGHT:'],
    ['a single candidate', { ...ENDPOINT, PALIMPSEST_RERANKER_CANDIDATES: '1' }, 'PALIMPSEST_RERANKER_CANDIDATES:'],
  ])('refuse %s', (_, env, message) => expect(() => read(env)).toThrow(message));
});
