import type { PartitionLeases } from '@palimpsest/knowledge/ports';

/** Processes that can join the same tasks, each simulated by one `PartitionLeases`. */
export type PartitionLeasesUnderTest = Readonly<{
  /** Starts another process. */
  open(): Promise<PartitionLeases>;
  /** Ends it like a kill: without notice to others and without waiting for held shares. */
  crash(shares: PartitionLeases): Promise<void>;
  /** Maximum time for moving shares, in milliseconds, including the detection of a dead process. */
  patienceMs: number;
  dispose(): Promise<void>;
}>;
