import { expect, it } from '@jest/globals';
import { streamName, type EventLog, type RecordedEvent } from '@palimpsest/knowledge/ports';
import { START } from '@palimpsest/knowledge/values';
import { anEvent, collect, events, idsOf, type CurrentLog } from './event-log-fixture.ts';

const stream = streamName('document', 'acme', 'one');
const other = streamName('document', 'acme', 'two');

const revisions = (recorded: readonly RecordedEvent[]): readonly number[] => recorded.map(({ revision }) => revision);

/** Five events of the types Odd and Even in each of two streams, alternating in twos and threes. */
const fillTwoStreams = async (log: EventLog): Promise<readonly RecordedEvent[]> => {
  const some = (count: number) => Array.from({ length: count }, (_, at) => anEvent({ type: at % 2 === 0 ? 'Even' : 'Odd' }));
  await log.append(stream, some(2), 'no-stream');
  await log.append(other, some(3), 'no-stream');
  await log.append(stream, some(3), 1);
  await log.append(other, some(2), 2);
  return collect(log.readAll());
};

/** The contract of `readStream`, `readAll` and `head`. */
export const readPromises = (current: CurrentLog): void => {
  it('reads a stream from a revision, in both directions, up to a limit', async () => {
    const { log } = current();
    await fillTwoStreams(log);
    const read = async (options: Parameters<EventLog['readStream']>[1]) => revisions(await collect(log.readStream(stream, options)));
    expect(await read({})).toEqual([0, 1, 2, 3, 4]);
    expect(await read({ from: 3 })).toEqual([3, 4]);
    expect(await read({ from: 1, limit: 2 })).toEqual([1, 2]);
    expect(await read({ direction: 'backwards' })).toEqual([4, 3, 2, 1, 0]);
    expect(await read({ direction: 'backwards', from: 2 })).toEqual([2, 1, 0]);
    expect(await read({ direction: 'backwards', limit: 1 })).toEqual([4]);
    expect(await read({ from: 5 })).toEqual([]);
    expect(await read({ limit: 0 })).toEqual([]);
  });

  it('yields nothing for a stream that does not exist', async () => {
    const { log } = current();
    await fillTwoStreams(log);
    expect(await collect(log.readStream(streamName('document', 'acme', 'none')))).toEqual([]);
  });

  it('distinguishes streams whose joined parts would be equal', async () => {
    const { log } = current();
    const [left, right] = [streamName('document', 'a-b', 'c'), streamName('document', 'a', 'b-c')];
    await log.append(left, events(1), 'no-stream');
    expect(await log.append(right, events(1), 'no-stream')).toMatchObject({ outcome: 'appended', revision: 0 });
  });

  it('reads the whole log in position order, in both directions, after an exclusive position', async () => {
    const { log } = current();
    const all = await fillTwoStreams(log);
    const backwards = [...all].reverse();
    const from = all[3]?.position ?? START;
    expect(all.map((event) => `${event.stream}/${event.revision}`)).toEqual(
      [
        [stream, 0],
        [stream, 1],
        [other, 0],
        [other, 1],
        [other, 2],
        [stream, 2],
        [stream, 3],
        [stream, 4],
        [other, 3],
        [other, 4],
      ].map((place) => place.join('/')),
    );
    expect(await collect(log.readAll({ from }))).toEqual(all.slice(4));
    expect(await collect(log.readAll({ from, limit: 2 }))).toEqual(all.slice(4, 6));
    expect(await collect(log.readAll({ direction: 'backwards' }))).toEqual(backwards);
    expect(await collect(log.readAll({ direction: 'backwards', from, limit: 2 }))).toEqual(backwards.slice(7, 9));
    expect(await collect(log.readAll({ from: all.at(-1)?.position ?? START }))).toEqual([]);
    expect(await collect(log.readAll({ direction: 'backwards', from: START }))).toEqual([]);
  });

  it('reads up to a position', async () => {
    const { log } = current();
    const all = await fillTwoStreams(log);
    const upTo = all[6]?.position ?? START;
    expect(await collect(log.readAll({ upTo }))).toEqual(all.slice(0, 7));
    expect(await collect(log.readAll({ from: all[3]?.position ?? START, upTo }))).toEqual(all.slice(4, 7));
    expect(await collect(log.readAll({ upTo, types: ['Even'], limit: 2 }))).toEqual(
      all
        .slice(0, 7)
        .filter(({ type }) => type === 'Even')
        .slice(0, 2),
    );
    expect(await collect(log.readAll({ from: upTo, upTo }))).toEqual([]);
    expect(await collect(log.readAll({ upTo: START }))).toEqual([]);
    await expect(collect(log.readAll({ upTo, direction: 'backwards' }))).rejects.toMatchObject({ field: 'upTo' });
  });

  it('reads only events of the requested types', async () => {
    const { log } = current();
    const all = await fillTwoStreams(log);
    const even = all.filter(({ type }) => type === 'Even');
    expect(await collect(log.readAll({ types: ['Even'] }))).toEqual(even);
    expect(await collect(log.readAll({ types: ['Odd', 'Even', 'Odd', 'Never'] }))).toEqual(all);
    expect(await collect(log.readAll({ types: ['Even'], direction: 'backwards', limit: 2 }))).toEqual([...even].reverse().slice(0, 2));
    expect(await collect(log.readAll({ types: ['Even'], from: even[1]?.position ?? START, limit: 1 }))).toEqual(even.slice(2, 3));
    expect(await collect(log.readAll({ types: ['Never'] }))).toEqual([]);
    expect(await collect(log.readAll({ types: [] }))).toEqual([]);
  });

  it('reads more than fits into memory, without gaps', async () => {
    const { log } = current();
    const [many, large] = [events(1300), Array.from({ length: 5 }, () => anEvent({ data: { text: 'x'.repeat(900_000) } }))];
    await log.append(stream, many, 'no-stream');
    for (const [at, event] of large.entries()) await log.append(other, [event], at === 0 ? 'no-stream' : at - 1);
    const all = idsOf([...many, ...large]);
    expect(idsOf(await collect(log.readAll()))).toEqual(all);
    expect(idsOf(await collect(log.readAll({ types: ['Noted'], direction: 'backwards' })))).toEqual([...all].reverse());
    expect(idsOf(await collect(log.readStream(stream, { direction: 'backwards' })))).toEqual([...idsOf(many)].reverse());
    expect(idsOf(await collect(log.readStream(other)))).toEqual(idsOf(large));
    expect(idsOf(await collect(log.readAll({ limit: 1301 })))).toEqual(all.slice(0, 1301));
  });

  it('returns the position of the last event, START if there is none', async () => {
    const { log } = current();
    expect(await log.head()).toBe(START);
    const all = await fillTwoStreams(log);
    expect(await log.head()).toBe(all.at(-1)?.position);
  });
};
