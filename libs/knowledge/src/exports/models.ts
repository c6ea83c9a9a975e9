export type * from '../events/model-events.ts';
export { BACKGROUND_TEXTS } from '../values/background-texts.ts';
export { CANARY_STRINGS, SAME_MODEL, type CanaryCheck, type ModelFingerprint } from '../values/canary-strings.ts';
export {
  MODEL_ORIGINS,
  modelId,
  modelIdOf,
  type EndpointDefinition,
  type ModelDefinition,
  type ModelId,
  type ModelLimits,
  type ModelOrigin,
} from '../values/model.ts';
export type { ChatMessage, ChatModel, ChatRequest } from '../ports/chat-model.ts';
export type { RerankPassage, Reranker } from '../ports/reranker.ts';
