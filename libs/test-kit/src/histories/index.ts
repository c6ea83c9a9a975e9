export { inBatches } from './in-batches.ts';
export { applyStep, histories, OTHER_CHUNKING, steps, type Step } from './random-history.ts';
export { ALL_TEXTS, BASE, MODELS, SCOPE, Scenario, theChunk, theDocument, type Contents, type ScenarioScopeCommand } from './scenario.ts';
export { PLACES, World, worldHistories, type WorldStep } from './world.ts';
