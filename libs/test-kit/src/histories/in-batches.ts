import type { EventLog, FollowOptions } from '@palimpsest/knowledge/ports';

/** The same log, followed in batches of at most `maxBatch` events. */
export const inBatches = (log: EventLog, maxBatch: number | undefined): EventLog =>
  maxBatch === undefined
    ? log
    : new Proxy(log, {
        get: (target, property) => {
          if (property === 'follow') return (options: FollowOptions) => target.follow({ ...options, maxBatch });
          const found: unknown = Reflect.get(target, property);
          return typeof found === 'function' ? (found.bind(target) as unknown) : found;
        },
      });
