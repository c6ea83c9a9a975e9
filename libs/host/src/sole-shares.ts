import { pause } from '@palimpsest/contracts';
import type { Participation, Shares } from '@palimpsest/knowledge';

/** After how long what ended by itself is begun again. */
const AGAIN_MS = 1_000;

/** For a process that is alone: every share is its own, at once and for ever. */
export const soleShares = (onFault: (error: unknown, about: string) => void): Shares => {
  const all = new Set<Participation>();
  return {
    takePart: (task, count, hold) => {
      const stop = new AbortController();
      const held = Array.from({ length: count }, (_, share) => holding(share, hold, stop.signal, (error) => onFault(error, `share ${share} of ${task}`)));
      const participation: Participation = {
        shares: () => (stop.signal.aborted ? [] : held.map((_, share) => share)),
        leave: async () => {
          stop.abort();
          all.delete(participation);
          await Promise.all(held);
        },
      };
      all.add(participation);
      return Promise.resolve(participation);
    },
    close: async () => {
      for (const participation of [...all]) await participation.leave();
    },
  };
};

const holding = async (share: number, hold: (share: number, signal: AbortSignal) => Promise<void>, signal: AbortSignal, onError: (error: unknown) => void): Promise<void> => {
  while (!signal.aborted) {
    try {
      await hold(share, signal);
    } catch (error) {
      if (!signal.aborted) onError(error);
    }
    if (!signal.aborted) await pause(AGAIN_MS, signal);
  }
};
