export { AddModel, ListModels, RemoveModel } from './manage-models.ts';
export { TestModel } from './test-model.ts';
export { addedModels, models } from './nest/models-features.ts';
