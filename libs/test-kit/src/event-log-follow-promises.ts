import { expect, it } from '@jest/globals';
import { streamName, type FollowBatch } from '@palimpsest/knowledge/ports';
import { START } from '@palimpsest/knowledge/values';
import { anEvent, collect, events, eventsOf, followUntil, idsOf, type CurrentLog } from './event-log-fixture.ts';

const stream = streamName('document', 'acme', 'one');

/** The contract of `follow`; for concurrent appends see `event-log-concurrency-promises.ts`. */
export const followPromises = (current: CurrentLog): void => {
  it('delivers old events and then live ones', async () => {
    const { log } = current();
    const [old, live] = [events(5), events(3)];
    await log.append(stream, old, 'no-stream');
    const following = followUntil(log, { after: START, maxBatch: 2 }, (seen) => seen.length === 8);
    await log.append(stream, live.slice(0, 1), 4);
    await log.append(stream, live.slice(1), 5);
    const batches = await following;
    expect(idsOf(eventsOf(batches))).toEqual(idsOf([...old, ...live]));
    expect(batches.every((batch) => batch.events.length <= 2)).toBe(true);
  });

  it('reports when it has caught up, and the position delivered so far, also on an empty log', async () => {
    const { log } = current();
    const [empty] = await followUntil(log, { after: START }, () => true);
    expect(empty).toEqual({ events: [], upTo: START, caughtUp: true });
    await log.append(stream, events(5), 'no-stream');
    const batches = await followUntil(log, { after: START, maxBatch: 2 }, (_, { caughtUp }) => caughtUp);
    expect(batches.at(-1)?.upTo).toBe(await log.head());
    for (const { upTo, caughtUp } of batches) expect(caughtUp).toBe(upTo === (await log.head()));
  });

  it('continues without gaps or duplicates from the `upTo` of any batch', async () => {
    const { log } = current();
    await log.append(
      stream,
      Array.from({ length: 9 }, (_, at) => anEvent({ type: at % 4 === 0 ? 'Rare' : 'Common' })),
      'no-stream',
    );
    for (const types of [undefined, ['Rare'], ['Common', 'Rare']]) {
      const filter = { maxBatch: 2, ...(types && { types }) };
      const all = idsOf(await collect(log.readAll(filter)));
      const batches = await followUntil(log, { after: START, ...filter }, (_, { caughtUp }) => caughtUp);
      for (const [index, { upTo }] of batches.entries()) {
        const rest = await followUntil(log, { after: upTo, ...filter }, (_, { caughtUp }) => caughtUp);
        expect(idsOf(eventsOf([...batches.slice(0, index + 1), ...rest]))).toEqual(all);
      }
    }
  });

  it('delivers only the requested types, and moves `upTo` past others, old and live', async () => {
    const { log } = current();
    const wanted = events(3, { type: 'Wanted' });
    await log.append(stream, [...events(4), ...wanted.slice(0, 2), ...events(2)], 'no-stream');
    let seenUpTo = START;
    const following = followUntil(log, { after: START, types: ['Wanted', 'Never'] }, (seen, { upTo }) => {
      seenUpTo = upTo;
      return seen.length === 3 && upTo >= headAfterAll;
    });
    let headAfterAll = 1n << 62n;
    await log.append(stream, [...events(1), ...wanted.slice(2)], 7);
    await log.append(stream, events(2), 9);
    headAfterAll = await log.head();
    await log.append(stream, events(1), 11);
    expect(idsOf(eventsOf(await following))).toEqual(idsOf(wanted));
    expect(seenUpTo >= headAfterAll).toBe(true);
  });

  it('reads the next batch only on demand', async () => {
    const { log } = current();
    const stop = new AbortController();
    const batches = log.follow({ after: START, signal: stop.signal })[Symbol.asyncIterator]();
    await batches.next();
    const live = events(3);
    for (const [at, event] of live.entries()) await log.append(stream, [event], at === 0 ? 'no-stream' : at - 1);
    const next = (await batches.next()).value as FollowBatch;
    expect(idsOf(next.events)).toEqual(idsOf(live));
    expect(next.caughtUp).toBe(true);
    stop.abort();
    expect((await batches.next()).done).toBe(true);
  });

  it('ends without an error when the signal aborts, during a wait or before the start', async () => {
    const { log } = current();
    const stop = new AbortController();
    const batches = log.follow({ after: START, signal: stop.signal })[Symbol.asyncIterator]();
    await batches.next();
    const waiting = batches.next();
    stop.abort();
    expect(await waiting).toEqual({ done: true, value: undefined });
    await log.append(stream, events(1), 'no-stream');
    expect(await collect(log.follow({ after: START, signal: stop.signal }))).toEqual([]);
  });
};
