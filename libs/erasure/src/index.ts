export { EraseScope } from './erase-scope.ts';
export { erasure, type ErasureFeaturePorts } from './nest/erasure-feature.ts';
