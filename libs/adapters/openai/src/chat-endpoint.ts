import type { ChatModel } from '@palimpsest/knowledge/models';
import { chatAnswer } from './chat-answer.ts';
import { openEndpoint, type EndpointOptions } from './endpoint-requests.ts';

/** Models write for longer than rerankers score. Who cannot wait for so long aborts the call. */
const TIMEOUT_MS = 60_000;

/**
 * A model of an endpoint of the form `POST …/v1/chat/completions`. Requests contain nothing that some of these endpoints refuse, such as a
 * format of the answer. @throws InvalidValue that names the option
 */
export const openChatModel = (options: EndpointOptions): ChatModel => {
  const { model } = options;
  const endpoint = openEndpoint({ timeoutMs: TIMEOUT_MS, ...options }, 'the chat model');
  return {
    version: `chat:${model}`,
    answer: async ({ messages, maxTokens }, signal) => {
      const body = { model, messages, max_tokens: maxTokens, temperature: 0, stream: false };
      return endpoint.ask(
        async (client, stop) => chatAnswer(await client.post<unknown>('/chat/completions', { body, signal: stop })),
        signal,
      );
    },
    close: endpoint.close,
  };
};
