export { canonicalJson } from './canonical-json.ts';
export { keyIdOf, isSignedBy } from './signatures.ts';
export { LogCheckpoints } from './log-checkpoints.ts';
export { checkLog, type KnownCheckpoint, type LogCheck } from './check-log.ts';
export type { LogFinding } from './compare-records.ts';
export { checkLineage, type CheckedLineage } from './check-lineage.ts';
export { signLineage } from './lineage-receipt.ts';
export { proveRecord, type ProvenRecord, type SignedStatement } from './proven-record.ts';
export { sha256Hex } from './digests.ts';
