export { openScanVectorIndex, type ScanVectorIndex, type ScanVectorIndexOptions, type ScanStatistics } from './scan-vector-index.ts';
export type { ScanLimits } from './limits.ts';
export { VectorCodec, type CodecQuery, type CodecSettings, type VectorCode } from './codec/vector-codec.ts';
