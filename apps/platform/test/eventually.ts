const PAUSE_MS = 20;

/** Asks again until there is an answer. @throws when there is none for `timeoutMs` */
export const eventually = async <T>(what: string, look: () => Promise<T | undefined>, timeoutMs = 45_000): Promise<T> => {
  const until = performance.now() + timeoutMs;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > until) throw new Error(`waited in vain until ${what}`);
    await pause(PAUSE_MS);
  }
};

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
