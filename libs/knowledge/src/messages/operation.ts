import type { Role } from '../access/access.ts';
import type { RequestKind } from '../values/limits.ts';

/** What holds for an operation however it is called: over HTTP, over another protocol, or by the process itself. */
export type Operation = Readonly<{
  /** `<area>.<operation>`, unique in the installation. */
  id: string;
  /** The minimum role. Without it, every key may call the operation and sees what it may read. */
  role?: Role;
  /** A role that suffices instead. */
  orRole?: Role;
  /**
   * Shows and changes only documents that satisfy the labels of the caller's key. Without it, a key that requires labels is refused: what
   * forgets them shows nothing.
   */
  limitedByLabels?: true;
  /** Kind of work for the load shedder, if it does not follow from the method. `none` is never refused under load. */
  work?: 'search' | 'none';
  /** The rate limit that counts the request. */
  rate?: RequestKind;
  /** Whether the same request may be sent twice with the effect of one. Follows from the method, unless it is a POST or PATCH. */
  idempotent?: boolean;
  /** Changes how the installation works, or moves a whole scope: its audit entry is on the log before the response is sent. */
  administration?: true;
}>;
