export type * from '../events/model-events.ts';
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
