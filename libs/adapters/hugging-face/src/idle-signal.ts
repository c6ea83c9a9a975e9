import { SYSTEM, type Cancel } from '@palimpsest/foundation';
import { Unavailable } from '@palimpsest/knowledge/errors';

export type IdleSignal = Readonly<{ signal: AbortSignal; touch: () => void; stop: () => void }>;

/** A signal that aborts when `touch` was not called for `ms` milliseconds, or when the caller's signal aborts. */
export const idleSignal = (ms: number, of: string, outer: AbortSignal | undefined): IdleSignal => {
  const idle = new AbortController();
  let cancel: Cancel | undefined;
  const stop = (): void => cancel?.();
  const touch = (): void => {
    stop();
    cancel = SYSTEM.scheduler.after(ms, () => idle.abort(new Unavailable(`${of} sent nothing for ${Math.round(ms / 1000)} s`)));
  };
  touch();
  return { signal: outer === undefined ? idle.signal : AbortSignal.any([outer, idle.signal]), touch, stop };
};
