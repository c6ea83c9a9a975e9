import { expect, it } from '@jest/globals';
import { streamName, type EventLog, type RecordedEvent, type StreamName } from '@palimpsest/knowledge/ports';
import { START, type Position } from '@palimpsest/knowledge/values';
import { anEvent, collect, events, eventsOf, followUntil, idsOf, type CurrentLog } from './event-log-fixture.ts';

const streamOf = (number: number): StreamName => streamName('document', 'acme', String(number));

/** Appends `count` events one at a time, each at the revision that the log returned, until all are appended. */
const contend = async (log: EventLog, stream: StreamName, count: number): Promise<readonly number[]> => {
  const won: number[] = [];
  let expected: number | 'no-stream' = 'no-stream';
  while (won.length < count) {
    const result = await log.append(stream, [anEvent()], expected);
    if (result.outcome === 'appended') won.push(result.revision);
    expected = result.outcome === 'appended' ? result.revision : result.actual;
  }
  return won;
};

/** Some appends of 1 to 3 events to a stream with a single writer. */
const fill = async (log: EventLog, stream: StreamName, appends: number): Promise<void> => {
  let expected: number | 'no-stream' = 'no-stream';
  for (let at = 0; at < appends; at += 1) {
    const result = await log.append(stream, events(1 + (at % 3), { data: { padding: 'x'.repeat((at * 97) % 700) } }), expected);
    if (result.outcome !== 'appended') throw new Error('unexpected other writer of this stream');
    expected = result.revision;
  }
};

const ascending = (recorded: readonly RecordedEvent[]): boolean =>
  recorded.every((event, index) => index === 0 || event.position > (recorded[index - 1]?.position ?? START));

/** The contract for concurrent appends and reads. */
export const concurrencyPromises = (current: CurrentLog): void => {
  it('gives each revision to exactly one of several concurrent writers of a stream', async () => {
    const { log } = current();
    const results = await Promise.all(Array.from({ length: 8 }, () => log.append(streamOf(0), events(2), 'no-stream')));
    expect(results.filter(({ outcome }) => outcome === 'appended')).toHaveLength(1);
    const won = (await Promise.all(Array.from({ length: 6 }, () => contend(log, streamOf(1), 5)))).flat();
    expect(won.sort((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, revision) => revision));
    expect(await collect(log.readStream(streamOf(1)))).toHaveLength(30);
  });

  it('does not let a conflict affect concurrent appends', async () => {
    const { log } = current();
    const appends = Array.from({ length: 20 }, (_, at) => log.append(streamOf(at), events(1), at % 2 === 0 ? 'no-stream' : 7));
    const outcomes = (await Promise.all(appends)).map(({ outcome }) => outcome);
    expect(outcomes).toEqual(Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? 'appended' : 'conflict')));
    expect(await collect(log.readAll())).toHaveLength(10);
  });

  it('records the same append once when it is sent twice concurrently', async () => {
    const { log } = current();
    const same = events(3);
    const results = await Promise.all([log.append(streamOf(0), same, 'no-stream'), log.append(streamOf(0), same, 'no-stream')]);
    expect(results.map((result) => ({ ...result, repeated: false }))).toEqual(
      [results[0], results[0]].map((result) => ({ ...result, repeated: false })),
    );
    expect(results.filter((result) => result.outcome === 'appended' && result.repeated)).toHaveLength(1);
    expect(await collect(log.readAll())).toHaveLength(3);
  });

  it('executes the appends of one caller in the order of the calls', async () => {
    const { log } = current();
    const calls = [
      log.append(streamOf(0), events(2), 'no-stream'),
      log.append(streamOf(0), events(1), 1),
      log.append(streamOf(0), events(1), 2),
    ];
    expect((await Promise.all(calls)).map(({ outcome }) => outcome)).toEqual(['appended', 'appended', 'appended']);
  });

  it('delivers every event once and in order to followers from any position, during concurrent appends', async () => {
    const { log } = current();
    await fill(log, streamOf(100), 12);
    const before = await collect(log.readAll());
    const starts: readonly Position[] = [START, before[5]?.position ?? START, before.at(-1)?.position ?? START];
    const total = before.length + 12 * 15; // 8 appends of 1, 2, 3, 1, 2, 3, 1, 2 events are 15
    const last = (after: Position): number => total - before.filter(({ position }) => position <= after).length;
    const following = starts.map((after) => followUntil(log, { after, maxBatch: 7 }, (seen) => seen.length >= last(after)));
    await Promise.all(Array.from({ length: 12 }, (_, writer) => fill(log, streamOf(writer), 8)));
    const all = await collect(log.readAll());
    for (const [index, batches] of (await Promise.all(following)).entries()) {
      const seen = eventsOf(batches);
      expect(ascending(seen)).toBe(true);
      expect(seen).toEqual(all.filter(({ position }) => position > (starts[index] ?? START)));
      expect(batches.every(({ events: batch, upTo }) => batch.every(({ position }) => position <= upTo))).toBe(true);
    }
    expect(new Set(idsOf(all)).size).toBe(total);
  });
};
