import { pause, SYSTEM, type Scheduler } from '@palimpsest/foundation';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import type { LeaseMembership, PartitionLeases } from '@palimpsest/knowledge/ports';

/** Delay before work that ended on its own is started again. */
const RESTART_DELAY_MS = 1_000;

/** Leases for a single process: it holds every share, immediately and permanently. A task has one member at a time. */
export const singleNodeLeases = (
  onFault: (error: unknown, about: string) => void,
  scheduler: Scheduler = SYSTEM.scheduler,
): PartitionLeases => {
  const members = new Map<string, LeaseMembership>();
  let closed = false;
  return {
    join: async (task, count, hold) => {
      if (closed) throw new Error('the partition leases are closed');
      if (task === '') throw new InvalidValue('task', 'a name', task);
      if (!Number.isInteger(count) || count < 1) throw new InvalidValue('count', 'a whole number of at least 1', count);
      if (members.has(task)) throw new InvalidValue('task', 'a task that this process has not joined', task);
      const stop = new AbortController();
      const held = Array.from({ length: count }, (_, share) =>
        holdShare(share, hold, stop.signal, scheduler, (error) => onFault(error, `share ${share} of ${task}`)),
      );
      const membership: LeaseMembership = {
        shares: () => (stop.signal.aborted ? [] : held.map((_, share) => share)),
        leave: async () => {
          stop.abort();
          await Promise.all(held);
          if (members.get(task) === membership) members.delete(task);
        },
      };
      members.set(task, membership);
      return membership;
    },
    close: async () => {
      closed = true;
      await Promise.all([...members.values()].map((membership) => membership.leave()));
    },
  };
};

const holdShare = async (
  share: number,
  hold: (share: number, signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
  scheduler: Scheduler,
  onError: (error: unknown) => void,
): Promise<void> => {
  while (!signal.aborted) {
    try {
      await hold(share, signal);
    } catch (error) {
      if (!signal.aborted) onError(error);
    }
    if (!signal.aborted) await pause(RESTART_DELAY_MS, signal, scheduler);
  }
};
