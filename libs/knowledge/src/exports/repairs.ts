export type * from '../events/read-model-events.ts';
export { readModelsStream } from '../streams.ts';
