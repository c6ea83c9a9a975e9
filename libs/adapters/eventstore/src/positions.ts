import { START, type Position } from '@palimpsest/knowledge';

/** Where something lies in $all: events have commit === prepare, a checkpoint may be (commit, 0). */
export type CommitPrepare = Readonly<{ commit: bigint; prepare: bigint }>;

/**
 * The pair as one bigint that keeps its order: the commit, doubled, and 1 more for an event's own place. (0, 0), an event at the
 * very first byte, thus comes after START.
 */
export const positionOf = ({ commit, prepare }: CommitPrepare): Position => ((commit << 1n) | (prepare === commit ? 1n : 0n)) as Position;

/** Whether `positionOf` keeps the pair; one that it would not keep is never handed out. */
export const isExpressible = ({ commit, prepare }: CommitPrepare): boolean => prepare === commit || (prepare === 0n && commit > 0n);

/** The pair that `positionOf` was given; `undefined` is the start. */
export const pairOf = (position: Position): CommitPrepare | undefined => {
  if (position === START) return undefined;
  const commit = position >> 1n;
  return { commit, prepare: (position & 1n) === 1n ? commit : 0n };
};
