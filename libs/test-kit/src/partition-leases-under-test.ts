import type { PartitionLeases } from '@palimpsest/knowledge/ports';

export type SingleProcessUnderTest = Readonly<{
  /** Starts another process, simulated by its own `PartitionLeases`. */
  open(): Promise<PartitionLeases>;
  /** Maximum time for moving shares, in milliseconds, including the detection of a dead process. */
  patienceMs: number;
  dispose(): Promise<void>;
}>;

/** Processes that can join the same tasks. */
export type PartitionLeasesUnderTest = SingleProcessUnderTest &
  Readonly<{
    /** Ends a process like a kill: without notice to others and without waiting for held shares. */
    crash(shares: PartitionLeases): Promise<void>;
  }>;
