import type { ServerResponse } from 'node:http';
import { sendJson, startJsonServer } from './json-server.ts';
import type { Settings } from './platform-under-test.ts';

export type ChatStandIn = Readonly<{
  /** The last message of each request. */
  prompts: readonly string[];
  /** Exchangeable: sends a response instead of an answer. */
  state: { faulty?: ((response: ServerResponse) => void) | undefined };
  /** Settings that make a platform use this server. */
  settings: Settings;
}>;

/** A server for OpenAI's `/chat/completions`. `answer`: to the last message. */
export const aChatStandIn = async (answer: (prompt: string) => unknown, model: string, apiKey = 'any'): Promise<ChatStandIn> => {
  const prompts: string[] = [];
  const state: ChatStandIn['state'] = {};
  const url = await startJsonServer<Readonly<{ messages: readonly Readonly<{ content: string }>[] }>>((response, { messages }) => {
    const prompt = messages.at(-1)?.content ?? '';
    prompts.push(prompt);
    if (state.faulty !== undefined) return state.faulty(response);
    sendChat(response, JSON.stringify(answer(prompt)));
  });
  return { prompts, state, settings: { PALIMPSEST_CHAT_URL: url, PALIMPSEST_CHAT_MODEL: model, PALIMPSEST_CHAT_API_KEY: apiKey } };
};

export const sendChat = (response: ServerResponse, content: string): void =>
  sendJson(response, { choices: [{ message: { role: 'assistant', content }, finish_reason: 'stop' }] });
