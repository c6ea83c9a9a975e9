import type { System } from '@palimpsest/foundation';
import type { Life, World } from './world.ts';

/** The system of one life of a process. `skewMs`: how far its clock is off. */
export const simulatedSystem = (world: World, life: Life, skewMs: number): System => {
  const prng = world.prng.fork();
  const after = (ms: number, run: () => void) => world.plan(ms, '', run, life);
  return {
    clock: { now: () => world.date + skewMs, elapsed: () => world.now },
    random: { next: () => prng.next(), bytes: (count) => prng.bytes(count) },
    ids: { next: () => prng.uuid() },
    scheduler: {
      after,
      every: (ms, run) => {
        let cancel = after(ms, tick);
        function tick(): void {
          cancel = after(ms, tick);
          run();
        }
        return () => cancel();
      },
      soon: (run) => void after(0, run),
    },
  };
};
