import { pause } from '@palimpsest/foundation';

const PAUSE_MS = 20;
/** After some fast looks, the pause grows: each look costs the system under test time of its own. */
const FAST_LOOKS = 10;
const GROWTH = 1.25;
const MAX_PAUSE_MS = 100;

/** Polls until `look` returns a value. @throws if it returns none within `timeoutMs` */
export const eventually = async <T>(what: string, look: () => Promise<T | undefined>, timeoutMs = 300_000): Promise<T> => {
  const until = performance.now() + timeoutMs;
  for (let looks = 1, pauseMs = PAUSE_MS; ; looks++) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > until) throw new Error(`timed out after ${timeoutMs} ms waiting until ${what}`);
    await pause(pauseMs);
    if (looks >= FAST_LOOKS) pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * GROWTH);
  }
};
