import { START, type Position } from '@palimpsest/knowledge/values';

/** A place in $all: events have commit === prepare, a checkpoint may be (commit, 0). */
export type CommitPrepare = Readonly<{ commit: bigint; prepare: bigint }>;

/**
 * The pair as one bigint that preserves its order: the commit doubled, plus 1 for an event. So (0, 0), an event at the
 * first byte, comes after START.
 */
export const positionOf = ({ commit, prepare }: CommitPrepare): Position => ((commit << 1n) | (prepare === commit ? 1n : 0n)) as Position;

/** Whether `positionOf` preserves the pair. Other pairs are never returned to callers. */
export const isExpressible = ({ commit, prepare }: CommitPrepare): boolean => prepare === commit || (prepare === 0n && commit > 0n);

/** The pair that `positionOf` received; `undefined` is the start. */
export const pairOf = (position: Position): CommitPrepare | undefined => {
  if (position === START) return undefined;
  const commit = position >> 1n;
  return { commit, prepare: (position & 1n) === 1n ? commit : 0n };
};
