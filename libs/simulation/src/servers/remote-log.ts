import type { EventLog, FollowBatch, RecordedEvent } from '@palimpsest/knowledge/ports';
import type { Life } from '../kernel/world.ts';
import type { Network } from './network.ts';

const collected = async (events: AsyncIterable<RecordedEvent>): Promise<readonly RecordedEvent[]> => {
  const all: RecordedEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
};

/** The log as a process reaches it. Followers hear of new events after up to 100 ms. */
export const remoteLog = (log: EventLog, network: Network, life: Life, onEnd: (end: () => void) => void): EventLog => ({
  append: (stream, events, expected) =>
    network.call(life, 'log', `append ${events.map(({ type }) => type).join('+')} to ${stream}@${expected}`, () =>
      log.append(stream, events, expected),
    ),
  async *readStream(stream, options) {
    yield* await network.call(life, 'log', `read ${stream}`, () => collected(log.readStream(stream, options)));
  },
  async *readAll(options) {
    yield* await network.call(life, 'log', `read all ${options?.from ?? ''}`, () => collected(log.readAll(options)));
  },
  async *follow({ signal, ...options }) {
    const stop = new AbortController();
    const end = (): void => stop.abort();
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
    onEnd(end);
    const batches = log.follow({ ...options, signal: stop.signal })[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next: IteratorResult<FollowBatch> = await network.call(life, 'log', 'follow', () => batches.next(), { minMs: 1, maxMs: 100 });
        if (next.done === true) return;
        yield next.value;
      }
    } finally {
      end();
      signal.removeEventListener('abort', end);
    }
  },
  head: () => network.call(life, 'log', 'head', () => log.head()),
  setRetention: (stream, seconds) => network.call(life, 'log', `retention of ${stream}`, () => log.setRetention(stream, seconds)),
  truncate: (stream, before) => network.call(life, 'log', `truncate ${stream}@${before}`, () => log.truncate(stream, before)),
  close: () => Promise.resolve(),
});
