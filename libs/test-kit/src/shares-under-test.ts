import type { Shares } from '@palimpsest/knowledge';

/** Processes that may take part in the same tasks, each stood for by one `Shares`. */
export type SharesUnderTest = Readonly<{
  /** Another process. */
  open(): Promise<Shares>;
  /** Ends it as a kill would: nobody is told, holds are not waited for. */
  crash(shares: Shares): Promise<void>;
  /** How long a move of shares may take at most, in milliseconds, the notice of a death included. */
  patienceMs: number;
  dispose(): Promise<void>;
}>;
