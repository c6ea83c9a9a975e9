import type { System } from '@palimpsest/foundation';
import type { ChatModel } from '@palimpsest/knowledge/models';
import { breakingCalls } from './breaking-calls.ts';

/** A chat model of an endpoint behind a circuit breaker. */
export const breakingChatModel = (model: ChatModel, system: Pick<System, 'clock'>): ChatModel => {
  const breaking = breakingCalls(system);
  return {
    version: model.version,
    close: () => model.close(),
    answer: (request, signal) => breaking(() => model.answer(request, signal), signal),
  };
};
