import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ChatMessage } from '@palimpsest/knowledge/models';
import { startLoopbackServer } from './loopback-server.ts';

export type ChatBody = Readonly<{
  model: string;
  messages: readonly ChatMessage[];
  max_tokens: number;
  temperature: number;
  stream: boolean;
}>;
export type ChatMisbehaviour = (response: ServerResponse, body: ChatBody) => void;

export type FakeChatEndpoint = Readonly<{
  url: string;
  requests: readonly (ChatBody & Readonly<{ path: string | undefined; authorization: string | undefined }>)[];
  /** Number of requests that the client aborted before they were answered. */
  aborted: () => number;
  /** The next requests get these responses, one each; later requests get the default response. */
  next: (...misbehaviours: ChatMisbehaviour[]) => void;
  close: () => Promise<void>;
}>;

export const responding =
  (body: unknown, status = 200, headers: Record<string, string> = {}): ChatMisbehaviour =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };

export const choiceOf = (content: unknown, ended: unknown = 'stop') => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: ended }],
});

/** Repeats the last message; its tokens are words. */
const repeating: ChatMisbehaviour = (response, { messages, max_tokens: maxTokens }) => {
  const text = messages.at(-1)?.content ?? '';
  const words = text.split(/(?<=\s)(?=\S)/);
  const cut = words.length > maxTokens;
  responding(choiceOf(cut ? words.slice(0, maxTokens).join('') : text, cut ? 'length' : 'stop'))(response, { messages } as ChatBody);
};

/** A local server with `/v1/chat/completions`, which misbehaves on request, or for every request. */
export const startFakeChatEndpoint = async (always: ChatMisbehaviour = repeating): Promise<FakeChatEndpoint> => {
  const requests: FakeChatEndpoint['requests'][number][] = [];
  const misbehaviours: ChatMisbehaviour[] = [];
  let aborted = 0;
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    response.on('close', () => (aborted += response.writableFinished ? 0 : 1));
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = JSON.parse(Buffer.concat(parts).toString()) as ChatBody;
    requests.push({ ...body, path: request.url, authorization: request.headers.authorization });
    (misbehaviours.shift() ?? always)(response, body);
  };
  return { ...(await startLoopbackServer(answer)), requests, aborted: () => aborted, next: (...more) => misbehaviours.push(...more) };
};
