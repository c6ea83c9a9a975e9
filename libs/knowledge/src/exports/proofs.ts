export type { CheckpointEvent, CheckpointStatement, LogCheckpointSigned, SignedCheckpoint } from '../events/checkpoint-events.ts';
export { checkpointStream, hasAgeLimit } from '../streams.ts';
