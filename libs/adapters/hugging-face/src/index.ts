export { downloadModel, type DownloadedModel, type DownloadOptions } from './download-model.ts';
export type { Overrides } from './derive-description.ts';
export { openHub, type Hub, type HubOptions } from './hub.ts';
export { isModelRepository, modelRepository, type ModelRepository } from './model-repository.ts';
