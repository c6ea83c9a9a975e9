import { expect, it } from '@jest/globals';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import { MAX_APPEND_BYTES, streamName, type AppendResult, type EventLog, type NewEvent } from '@palimpsest/knowledge/ports';
import { anEvent, collect, events, idsOf, type CurrentLog } from './event-log-fixture.ts';

const stream = streamName('document', 'acme', 'one');
const other = streamName('document', 'acme', 'two');
const read = (log: EventLog) => collect(log.readStream(stream));

/** An event that makes the append exactly `bytes` long; "é" is two bytes. */
const anEventOf = (bytes: number): NewEvent => {
  const rest = bytes - Buffer.byteLength('{"text":""}{}');
  return anEvent({ data: { text: 'é'.repeat(Math.floor(rest / 2)) + 'x'.repeat(rest % 2) } });
};

/** The contract of `append` for a single caller. */
export const appendPromises = (current: CurrentLog): void => {
  it('returns what was appended, with its position and time', async () => {
    const { log } = current();
    const data = { text: 'naïve 𝄞 漢字 "\\\n\u0000', list: [1, 2.5, -1e300, null, true], nested: { '': {} }, __proto: 1 };
    const event = anEvent({ type: 'DocumentSubmitted', data, metadata: { actor: 'ann' } });
    const result = await log.append(stream, [event], 'no-stream');
    const [recorded] = await read(log);
    expect(recorded).toEqual({
      ...event,
      stream,
      revision: 0,
      position: (result as { position: bigint }).position,
      recordedAt: expect.any(String),
    });
    expect(new Date(recorded?.recordedAt ?? '').toISOString()).toBe(recorded?.recordedAt);
  });

  it('records the events of one append together, in order, with consecutive revisions', async () => {
    const { log } = current();
    const [first, second] = [events(3), events(2)];
    expect(await log.append(stream, first, 'no-stream')).toMatchObject({ outcome: 'appended', revision: 2, repeated: false });
    expect(await log.append(stream, second, 2)).toMatchObject({ outcome: 'appended', revision: 4, repeated: false });
    const recorded = await read(log);
    expect(idsOf(recorded)).toEqual(idsOf([...first, ...second]));
    expect(recorded.map(({ revision }) => revision)).toEqual([0, 1, 2, 3, 4]);
  });

  it('returns a conflict with the actual revision, and writes nothing, if the expected revision is wrong', async () => {
    const { log } = current();
    expect(await log.append(stream, events(1), 0)).toEqual({ outcome: 'conflict', actual: 'no-stream' });
    await log.append(stream, events(2), 'no-stream');
    for (const wrong of ['no-stream', 0, 2, 99] as const)
      expect(await log.append(stream, events(1), wrong)).toEqual({ outcome: 'conflict', actual: 1 });
    expect(await read(log)).toHaveLength(2);
  });

  it('returns the original revision and position for a repeated append, also after more events and a restart', async () => {
    const { log, reopen } = current();
    await log.append(stream, events(1), 'no-stream');
    const again = events(2);
    const original = await log.append(stream, again, 0);
    const repeated = { ...original, repeated: true };
    expect(await log.append(stream, again, 0)).toEqual(repeated);
    await log.append(stream, events(2), 2);
    expect(await log.append(stream, again, 0)).toEqual(repeated);
    const reopened = await reopen();
    expect(await reopened.append(stream, again, 0)).toEqual(repeated);
    expect(await read(reopened)).toHaveLength(5);
  });

  it('returns a conflict if only some of the events exist, or in another order, position or stream', async () => {
    const { log } = current();
    const [a, b, c] = [anEvent(), anEvent(), anEvent()];
    await log.append(stream, [a, b], 'no-stream');
    const conflict = { outcome: 'conflict', actual: 1 };
    expect(await log.append(stream, [a, c], 'no-stream')).toEqual(conflict);
    expect(await log.append(stream, [b, c], 0)).toEqual(conflict);
    expect(await log.append(stream, [c, a], 1)).toEqual(conflict);
    expect(await log.append(stream, [b, a], 'no-stream')).toEqual(conflict);
    expect(await log.append(stream, [a, b], 1)).toEqual(conflict);
    expect(await log.append(other, [a, b], 'no-stream')).toEqual({ outcome: 'conflict', actual: 'no-stream' });
    expect(idsOf(await collect(log.readAll()))).toEqual(idsOf([a, b]));
  });

  it('rejects an append without events', async () => {
    await expect(current().log.append(stream, [], 'no-stream')).rejects.toThrow(InvalidValue);
  });

  it('accepts 1 MiB of JSON in one append, and rejects a byte more', async () => {
    const { log } = current();
    await expect(log.append(stream, [anEventOf(MAX_APPEND_BYTES + 1)], 'no-stream')).rejects.toThrow(InvalidValue);
    await expect(log.append(stream, [anEvent(), anEventOf(MAX_APPEND_BYTES - 3)], 'no-stream')).rejects.toThrow(InvalidValue);
    const largest = anEventOf(MAX_APPEND_BYTES);
    expect(await log.append(stream, [largest], 'no-stream')).toMatchObject({ outcome: 'appended', revision: 0 });
    expect((await read(log))[0]?.data).toEqual(largest.data);
  });

  it('continues after a restart where it ended', async () => {
    const { log, reopen } = current();
    const before = events(2);
    const first = (await log.append(stream, before, 'no-stream')) as Extract<AppendResult, { outcome: 'appended' }>;
    const recorded = await read(log);
    const reopened = await reopen();
    expect(await read(reopened)).toEqual(recorded);
    expect(await reopened.head()).toBe(first.position);
    const next = (await reopened.append(stream, events(1), 1)) as typeof first;
    expect(next.revision).toBe(2);
    expect(next.position > first.position).toBe(true);
  });

  it('finishes the appends in progress before it closes', async () => {
    const { log, reopen } = current();
    const appends = Array.from({ length: 5 }, (_, at) => log.append(streamName('document', 'acme', String(at)), events(2), 'no-stream'));
    const reopened = await reopen();
    expect((await Promise.all(appends)).map(({ outcome }) => outcome)).toEqual(Array(5).fill('appended'));
    expect(await collect(reopened.readAll())).toHaveLength(10);
  });
};
