import { SYSTEM } from '@palimpsest/foundation';
import type { ChatSettings } from '../settings/chat-settings.ts';
import { breakingChatModel } from './breaking-chat-model.ts';

/** The chat model that the settings select, as a port of searches; nothing without one. */
export const openChat = async (settings: ChatSettings | undefined) => {
  if (settings === undefined) return { ports: {}, close: async () => undefined };
  const { ms, ...endpoint } = settings;
  // The client alone has about 240 files.
  const { openChatModel } = await import('@palimpsest/adapters-openai/chat');
  const model = breakingChatModel(openChatModel(endpoint), SYSTEM);
  return { ports: { chat: { model, ms } }, close: () => model.close() };
};
