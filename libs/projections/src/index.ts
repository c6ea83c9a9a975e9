export { ReadModelProjector, type ReadModelStores } from './read-model-projector.ts';
export { ReadModelRunner, type RunnerOptions, type ProjectionProgress } from './read-model-runner.ts';
export { Relay, workOf } from './relay.ts';
export { VerifyReadModels, type Verification, type Difference, type VerifiedPartition } from './verify-read-models.ts';
export { RebuildReadModels, type Rebuilt } from './rebuild-read-models.ts';
export type { Digests } from './expected-read-models.ts';
export { ProjectionsModule, DIGESTS } from './nest/projections.module.ts';
