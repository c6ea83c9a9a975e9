export { EraseScope } from './erase-scope.ts';
export type { LocalFiles } from './residue-scans.ts';
export { erasure, type ErasureFeaturePorts } from './nest/erasure-feature.ts';
