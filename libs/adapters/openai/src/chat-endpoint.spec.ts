import { pause } from '@palimpsest/foundation';
import { describeChatModel } from '@palimpsest/test-kit';
import { choiceOf, responding, startFakeChatEndpoint, type ChatMisbehaviour, type FakeChatEndpoint } from '../test/fake-chat-endpoint.ts';
import { openChatModel } from './chat-endpoint.ts';
import type { EndpointOptions } from './endpoint-requests.ts';

const HASTY = { baseMs: 1, rateLimitBaseMs: 1, maxPauseMs: 50 };
const openOn = ({ url }: Pick<FakeChatEndpoint, 'url'>, options: Partial<EndpointOptions> = {}) =>
  openChatModel({ baseUrl: url, apiKey: 'secret', model: 'm', retry: HASTY, ...options });

const NONSENSE: Readonly<Record<string, ChatMisbehaviour>> = {
  'no choices': responding({ choices: [] }),
  'choices that are no list': responding({ choices: { 0: choiceOf('text').choices[0] } }),
  'a message without content': responding(choiceOf(null)),
  'a content that is a list': responding(choiceOf(['text'])),
  'a blank content': responding(choiceOf(' \n')),
  'an answer that was cut off': responding(choiceOf('text', 'length')),
  null: responding(null),
  'a page of HTML': (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>pump</h1>'),
  'JSON that is cut off': (response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{"choices":[{"message"'),
  'an answer of many megabytes': responding(choiceOf('pump '.repeat(500_000))),
  'an error with the texts and the key in it': (response, { messages }) =>
    responding({ error: { message: JSON.stringify(messages), code: 'secret', type: 'pump' } }, 400)(response, { messages } as never),
  'a redirect': (response) => void response.writeHead(307, { location: 'http://127.0.0.1:9/v1/chat/completions' }).end(),
  'a connection that is reset': (response) => void response.destroy(),
};

const kitEndpoint = await startFakeChatEndpoint();
const broken = await Promise.all(
  Object.entries(NONSENSE).map(async ([name, always]) => [name, await startFakeChatEndpoint(always)] as const),
);
afterAll(() => Promise.all([kitEndpoint, ...broken.map(([, endpoint]) => endpoint)].map((endpoint) => endpoint.close())));

describeChatModel('openChatModel', {
  open: () => openOn(kitEndpoint),
  openBroken: Object.fromEntries(broken.map(([name, endpoint]) => [name, () => openOn(endpoint)])),
});

describe('A chat endpoint', () => {
  let endpoint: FakeChatEndpoint;
  beforeEach(async () => {
    endpoint = await startFakeChatEndpoint();
  });
  afterEach(() => endpoint.close());
  const request = { messages: [{ role: 'user', content: 'pump' }], maxTokens: 9 } as const;

  it('gets model, messages, the maximum length, a temperature of 0, and the key', async () => {
    const messages = [{ role: 'system', content: 'Be short.' }, ...request.messages] as const;
    await expect(openOn(endpoint).answer({ messages, maxTokens: 9 })).resolves.toBe('pump');
    expect(endpoint.requests).toEqual([
      { path: '/v1/chat/completions', authorization: 'Bearer secret', model: 'm', messages, max_tokens: 9, temperature: 0, stream: false },
    ]);
  });

  it('is called a second time after it failed, and not after it refused the request', async () => {
    endpoint.next(responding({}, 503));
    await expect(openOn(endpoint).answer(request)).resolves.toBe('pump');
    endpoint.next(responding({}, 400));
    await expect(openOn(endpoint).answer(request)).rejects.toMatchObject({
      message: 'the chat model failed (status 400)',
      forCallers: true,
    });
    expect(endpoint.requests).toHaveLength(3);
  });

  it('that does not answer in time is Unavailable, and its request is aborted', async () => {
    endpoint.next(() => undefined);
    await expect(openOn(endpoint, { timeoutMs: 50 }).answer(request)).rejects.toThrow('did not respond within 50 ms');
    while (endpoint.aborted() === 0) await pause(5);
  });

  it.each([
    ['baseUrl', { baseUrl: 'ftp://127.0.0.1/v1' }],
    ['model', { model: '' }],
  ])('is not opened with an invalid %s', (field, options) =>
    expect(() => openOn(endpoint, options)).toThrow(expect.objectContaining({ code: 'InvalidValue', field })),
  );
});
