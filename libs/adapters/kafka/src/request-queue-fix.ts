import { createRequire } from 'node:module';

type Queue = { pending: readonly unknown[]; throttledUntil: number; scheduleCheckPendingRequests(): void };

/**
 * kafkajs 2.2.4 sets a timer after every request, also where nothing waits, for a time long past: Node 24 warns of a negative
 * time-out (kafkajs issue 1751). With this, the timer is set only where a request does wait.
 */
const { prototype: queue } = createRequire(import.meta.url)('kafkajs/src/network/requestQueue') as { prototype: Queue };
const schedule = queue.scheduleCheckPendingRequests;
queue.scheduleCheckPendingRequests = function (this: Queue) {
  if (this.pending.length > 0 || this.throttledUntil > Date.now()) schedule.call(this);
};
