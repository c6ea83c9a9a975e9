import { pause } from '@palimpsest/foundation';

const PAUSE_MS = 20;

/** Polls until `look` returns a value. @throws if it returns none within `timeoutMs` */
export const eventually = async <T>(what: string, look: () => Promise<T | undefined>, timeoutMs = 300_000): Promise<T> => {
  const until = performance.now() + timeoutMs;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > until) throw new Error(`timed out after ${timeoutMs} ms waiting until ${what}`);
    await pause(PAUSE_MS);
  }
};
