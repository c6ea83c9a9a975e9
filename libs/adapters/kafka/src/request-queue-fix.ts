import { createRequire } from 'node:module';

type Queue = { pending: readonly unknown[]; throttledUntil: number; scheduleCheckPendingRequests(): void };

/**
 * kafkajs 2.2.4 sets a timer in the past after every request, even if no request waits: Node 24 warns of a negative
 * timeout (kafkajs issue 1751). With this fix, the timer is set only while a request waits.
 */
const { prototype: queue } = createRequire(import.meta.url)('kafkajs/src/network/requestQueue') as { prototype: Queue };
const schedule = queue.scheduleCheckPendingRequests;
queue.scheduleCheckPendingRequests = function (this: Queue) {
  if (this.pending.length > 0 || this.throttledUntil > Date.now()) schedule.call(this);
};
