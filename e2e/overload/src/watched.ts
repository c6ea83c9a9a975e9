import { pause } from '@palimpsest/foundation';
import type { PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';

const EVERY_MS = 200;

/** The resident memory in bytes, from the metrics of the process. */
export const residentBytes = async (platform: PlatformUnderTest): Promise<number> =>
  Number(/^process_resident_memory_bytes(?:\{[^}]*\})? (\S+)$/m.exec((await platform.ask('GET /metrics')).text)?.[1] ?? NaN);

/** Runs some work, and returns the statuses of probes and the maximum memory during it. */
export const watched = async <T>(
  platform: PlatformUnderTest,
  work: () => Promise<T>,
): Promise<Readonly<{ result: T; probes: readonly number[]; maxBytes: number }>> => {
  const probes: number[] = [];
  let maxBytes = 0;
  const done = new AbortController();
  const watch = (async () => {
    while (!done.signal.aborted) {
      for (const probe of ['GET /health/live', 'GET /health/ready']) probes.push((await platform.ask(probe)).status);
      maxBytes = Math.max(maxBytes, await residentBytes(platform));
      await pause(EVERY_MS);
    }
  })();
  try {
    return { result: await work(), probes, maxBytes };
  } finally {
    done.abort();
    await watch;
  }
};
