import { pause } from '../test/eventually.ts';
import type { PlatformUnderTest } from '../test/platform-under-test.ts';

const EVERY_MS = 200;

/** Resident bytes as the process tells them, which it does under any load. */
export const residentBytes = async (platform: PlatformUnderTest): Promise<number> =>
  Number(/^process_resident_memory_bytes(?:\{[^}]*\})? (\S+)$/m.exec((await platform.ask('GET /metrics')).text)?.[1] ?? NaN);

/** What probes were answered, and the most memory, while some work was under way. */
export const watched = async <T>(platform: PlatformUnderTest, work: () => Promise<T>): Promise<Readonly<{ result: T; probes: readonly number[]; mostBytes: number }>> => {
  const probes: number[] = [];
  let mostBytes = 0;
  const over = new AbortController();
  const watch = (async () => {
    while (!over.signal.aborted) {
      for (const probe of ['GET /health/live', 'GET /health/ready']) probes.push((await platform.ask(probe)).status);
      mostBytes = Math.max(mostBytes, await residentBytes(platform));
      await pause(EVERY_MS);
    }
  })();
  try {
    return { result: await work(), probes, mostBytes };
  } finally {
    over.abort();
    await watch;
  }
};
