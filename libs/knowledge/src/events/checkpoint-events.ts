import type { Event } from './event.ts';
import type { ReadersOf } from './readers.ts';

/**
 * A signed statement about the records of the log after one position, up to another, without the checkpoints themselves. Positions are
 * decimal strings. Digests have 64 hexadecimal digits.
 */
export type CheckpointStatement = Readonly<{
  /** From 1, without gaps. */
  number: number;
  after: string;
  upTo: string;
  records: number;
  /** Root of the Merkle tree of the records. */
  root: string;
  /** Digest of the previous statement; zeros for the first. */
  previous: string;
  signedAt: string;
  /** Names the key of the signature. */
  keyId: string;
}>;

/**
 * `signature`: Ed25519, Base64. `positions`: distances between the records as varints, Base64. `contents`: the digests of the records, 32
 * bytes each, Base64. `expiring`: the records of streams with an age limit, by stream: where each is among the records, and its revision.
 */
export type SignedCheckpoint = CheckpointStatement &
  Readonly<{
    signature: string;
    positions: string;
    contents: string;
    expiring: Readonly<Record<string, readonly (readonly [index: number, revision: number])[]>>;
  }>;

export type LogCheckpointSigned = Event<'LogCheckpointSigned', SignedCheckpoint>;
export type CheckpointEvent = LogCheckpointSigned;

/** No projection reads them: they are checked against the log itself. */
export const CHECKPOINT_READERS = { LogCheckpointSigned: [] } as const satisfies ReadersOf<CheckpointEvent>;
