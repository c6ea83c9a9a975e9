import { pause } from '@palimpsest/foundation';
import type { LeaseMembership, PartitionLeases } from '@palimpsest/knowledge/ports';

/** Delay before work that ended on its own is started again. */
const RESTART_DELAY_MS = 1_000;

/** Leases for a single process: it holds every share, immediately and permanently. */
export const singleNodeLeases = (onFault: (error: unknown, about: string) => void): PartitionLeases => {
  const all = new Set<LeaseMembership>();
  return {
    join: (task, count, hold) => {
      const stop = new AbortController();
      const held = Array.from({ length: count }, (_, share) =>
        holdShare(share, hold, stop.signal, (error) => onFault(error, `share ${share} of ${task}`)),
      );
      const membership: LeaseMembership = {
        shares: () => (stop.signal.aborted ? [] : held.map((_, share) => share)),
        leave: async () => {
          stop.abort();
          all.delete(membership);
          await Promise.all(held);
        },
      };
      all.add(membership);
      return Promise.resolve(membership);
    },
    close: async () => {
      for (const membership of [...all]) await membership.leave();
    },
  };
};

const holdShare = async (
  share: number,
  hold: (share: number, signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
  onError: (error: unknown) => void,
): Promise<void> => {
  while (!signal.aborted) {
    try {
      await hold(share, signal);
    } catch (error) {
      if (!signal.aborted) onError(error);
    }
    if (!signal.aborted) await pause(RESTART_DELAY_MS, signal);
  }
};
