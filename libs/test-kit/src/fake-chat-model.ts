import { Unavailable } from '@palimpsest/knowledge/errors';
import type { ChatModel, ChatRequest } from '@palimpsest/knowledge/models';

export type FakeChatModel = ChatModel & Readonly<{ calls: readonly ChatRequest[] }>;

const lastMessage = ({ messages }: ChatRequest): string => messages.at(-1)?.content ?? '';

/** Repeats the last message, counts words as tokens, and records its calls. `answer`: replaces the answer, or fails. */
export const aFakeChatModel = ({
  version = 'fake:chat',
  answer = lastMessage,
}: Readonly<{
  version?: string;
  answer?: (request: ChatRequest, signal?: AbortSignal) => string | Promise<string>;
}> = {}): FakeChatModel => {
  const calls: ChatRequest[] = [];
  let closed = false;
  return {
    version,
    calls,
    answer: async (request, signal) => {
      signal?.throwIfAborted();
      if (closed) throw new Unavailable('the chat model is closed', { forCallers: true });
      calls.push(request);
      const text = await answer(request, signal);
      signal?.throwIfAborted();
      if (text.trim() === '') throw new Unavailable('the chat model returned no text', { forCallers: true });
      if (text.split(/\s+/).length > request.maxTokens)
        throw new Unavailable('the answer of the chat model was cut off', { forCallers: true });
      return text;
    },
    close: async () => void (closed = true),
  };
};
