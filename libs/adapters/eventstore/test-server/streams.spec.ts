import { setTimeout as sleep } from 'node:timers/promises';
import { randomBytes } from 'node:crypto';
import { EventStoreDBClient, binaryEvent, jsonEvent } from '@eventstore/db-client';
import { Conflict, InvalidValue } from '@palimpsest/knowledge/errors';
import { streamName } from '@palimpsest/knowledge/ports';
import { START, position, type Position } from '@palimpsest/knowledge/values';
import { openEventStoreLog, type EventStoreLog } from '../src/index.ts';
import { aNamespace, serverUnderTest } from '../test/a-server.ts';
import { anEvent, aStream, closeLogs, collect, eventually, events, Following, idsOf, openLog } from '../test/fixture.ts';

let server: Awaited<ReturnType<typeof serverUnderTest>>;
let client: EventStoreDBClient;
let log: EventStoreLog;
let namespace: string;
const stream = aStream();
const nameOf = (name: string): string => `${namespace}/${name}`;

beforeAll(async () => {
  server = await serverUnderTest();
  client = EventStoreDBClient.connectionString(server.url);
});
beforeEach(async () => {
  namespace = aNamespace();
  log = await openLog({ connectionString: server.url, namespace });
});
afterEach(closeLogs);
afterAll(async () => {
  await client.dispose();
  await server.dispose();
});

describe('EventStoreLog next to other users of the server', () => {
  it('continues the revisions when a soft-deleted stream is written again', async () => {
    await log.append(stream, events(3), 'no-stream');
    await client.deleteStream(nameOf(stream), { expectedRevision: 2n });
    expect(await collect(log.readStream(stream))).toEqual([]);
    expect(await log.append(stream, events(1), 1)).toEqual({ outcome: 'conflict', actual: 2 });
    const again = events(1);
    expect(await log.append(stream, again, 'no-stream')).toMatchObject({ outcome: 'appended', revision: 3, repeated: false });
    expect(idsOf(await collect(log.readStream(stream)))).toEqual(idsOf(again));
  });

  it('keeps a soft delete and the rest of the metadata when it sets a retention', async () => {
    await log.append(stream, events(2), 'no-stream');
    await client.setStreamMetadata(nameOf(stream), { maxCount: 50, owner: 'ann' });
    await log.setRetention(stream, 3600);
    await log.setRetention(stream, undefined);
    await log.setRetention(stream, 7200);
    expect((await client.getStreamMetadata(nameOf(stream))).metadata).toEqual({ maxCount: 50, owner: 'ann', maxAge: 7200 });
    await client.deleteStream(nameOf(stream), { expectedRevision: 1n });
    await log.setRetention(stream, 60);
    expect(await collect(log.readStream(stream))).toEqual([]);
  });

  it('keeps the rest of the metadata when it truncates, and the cut when it sets a retention', async () => {
    await log.append(stream, events(4), 'no-stream');
    await client.setStreamMetadata(nameOf(stream), { maxCount: 50, owner: 'ann' });
    await log.truncate(stream, 2);
    await log.setRetention(stream, 3600);
    await Promise.all([log.truncate(stream, 3), log.setRetention(stream, 7200), log.truncate(stream, 1)]);
    expect((await client.getStreamMetadata(nameOf(stream))).metadata).toEqual({
      maxCount: 50,
      owner: 'ann',
      maxAge: 7200,
      truncateBefore: 3,
    });
  });

  it('does not truncate a deleted stream', async () => {
    await log.append(stream, events(2), 'no-stream');
    await client.deleteStream(nameOf(stream), { expectedRevision: 1n });
    await expect(log.truncate(stream, 1)).rejects.toThrow(InvalidValue);
    expect(await collect(log.readStream(stream))).toEqual([]);
  });

  it('refuses ages that the server cannot keep', async () => {
    for (const age of [0, -1, 1.5, 2 ** 31, NaN]) await expect(log.setRetention(stream, age)).rejects.toThrow(InvalidValue);
  });

  it('reads nothing from a permanently deleted stream, and does not write to it', async () => {
    await log.append(stream, events(1), 'no-stream');
    await client.tombstoneStream(nameOf(stream), { expectedRevision: 0n });
    expect(await collect(log.readStream(stream))).toEqual([]);
    await expect(log.append(stream, events(1), 0)).rejects.toThrow(Conflict);
    await expect(log.setRetention(stream, 5)).rejects.toThrow(Conflict);
  });

  it("shows neither the server's own events nor those of another namespace", async () => {
    const other = await openLog({ connectionString: server.url, namespace: aNamespace() });
    const [mine, theirs] = [events(3), events(4)];
    await log.append(stream, mine, 'no-stream');
    await other.append(stream, theirs, 'no-stream');
    await log.setRetention(stream, 3600); // a $metadata event of the server
    await client.appendToStream('foreign-stream', binaryEvent({ type: 'Foreign', data: Buffer.from([1, 2, 3]) }));
    const [following, others] = [new Following(log), new Following(other)];
    await eventually(() => following.batches.at(-1)?.caughtUp === true && others.batches.at(-1)?.caughtUp === true);
    await Promise.all([following.stop(), others.stop()]);
    for (const seen of [following.seen, await collect(log.readAll()), await collect(log.readStream(stream))])
      expect(idsOf(seen)).toEqual(idsOf(mine));
    expect(idsOf(others.seen)).toEqual(idsOf(theirs));
    expect(following.batches.at(-1)?.upTo).toBe(await log.head());
  });

  it('matches types exactly, not as patterns or prefixes', async () => {
    const types = ['A', 'AB', 'A.B', 'A|B', '(A', 'a', 'A B', 'Ä漢'];
    await log.append(
      stream,
      types.map((type) => anEvent({ type })),
      'no-stream',
    );
    for (const type of types) expect((await collect(log.readAll({ types: [type] }))).map((event) => event.type)).toEqual([type]);
    await expect(log.append(stream, events(1, { type: '$system' }), 7)).rejects.toThrow(InvalidValue);
  });

  it('packs events that are too large for the server and reads them back, even if they hardly compress', async () => {
    const bytes = 1024 * 1024;
    const data = { text: randomBytes((bytes * 3) / 4 - 30).toString('base64') };
    const large = [anEvent({ data }), anEvent({ data: {}, metadata: {} })];
    const room = bytes - Buffer.byteLength(JSON.stringify(data)) - 6;
    const filled = [{ ...large[0], data: { text: data.text + 'x'.repeat(room) } }, large[1]] as typeof large;
    expect(await log.append(stream, filled, 'no-stream')).toMatchObject({ outcome: 'appended', revision: 1 });
    expect((await collect(log.readStream(stream))).map((event) => event.data)).toEqual(filled.map((event) => event.data));
    const many = events(40_000, { type: 'T'.repeat(30) });
    await expect(log.append(stream, many, 1)).rejects.toThrow('append fewer events at once');
  });

  it('keeps JSON readable for other users of the server', async () => {
    await log.append(stream, [anEvent({ data: { a: 1 }, metadata: { actor: 'ann' } })], 'no-stream');
    for await (const { event } of client.readStream(nameOf(stream)))
      expect(event).toMatchObject({ isJson: true, data: { a: 1 }, metadata: { actor: 'ann' }, type: `${namespace}/Noted` });
  });

  it('returns positions that survive a round trip as text', async () => {
    await log.append(stream, events(5), 'no-stream');
    const all = await collect(log.readAll());
    const third = position(String(all[2]?.position));
    expect(idsOf(await collect(log.readAll({ from: third })))).toEqual(idsOf(all.slice(3)));
    const nowhere = ((all[2]?.position ?? START) + 2n) as Position;
    await expect(collect(log.readAll({ from: nowhere }))).rejects.toThrow(InvalidValue);
  });

  it('moves past the events of others within moments, even if no matching event arrives', async () => {
    const other = await openLog({ connectionString: server.url, namespace });
    const following = new Following(log, { types: ['Never'] });
    await eventually(() => following.batches.length > 0);
    for (let at = 0; at < 5; at += 1) {
      await other.append(stream, events(1), at === 0 ? 'no-stream' : at - 1);
      const head = await other.head();
      await eventually(() => (following.batches.at(-1)?.upTo ?? START) >= head);
    }
    // No batch arrives while nothing happens. Under load the last ones may be late, so this waits for a quiet moment.
    await eventually(async () => {
      const settled = following.batches.length;
      await sleep(300);
      return following.batches.length === settled;
    });
    await following.stop();
    expect(following.seen).toEqual([]);
  });

  it('works with the connection string of KurrentDB, and ignores settings that would falsify append results', async () => {
    const kurrent = `${server.url.replace(/^esdb/, 'kurrentdb')}&throwOnAppendFailure=false`;
    const same = await openLog({ connectionString: kurrent, namespace });
    await same.append(stream, events(4), 'no-stream');
    expect(await same.append(stream, events(1), 'no-stream')).toEqual({ outcome: 'conflict', actual: 3 });
  });

  it('does not reveal a connection string, which may contain a password', async () => {
    for (const connectionString of [
      'mysql://ann:secret@host',
      'esdb://ann:secret@host:x?tls=false',
      'esdb://ann:secret@h?tlsCAFile=/none',
    ]) {
      const failure = await openEventStoreLog({ connectionString }).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(InvalidValue);
      expect(String(failure)).not.toContain('secret');
    }
  });

  it('ignores events that the official client wrote into its streams', async () => {
    const name = streamName('document', 'acme', 'theirs');
    await client.appendToStream(nameOf(name), jsonEvent({ type: `${namespace}/Made`, data: { by: 'hand' } }));
    expect(await collect(log.readAll())).toEqual([
      expect.objectContaining({ type: 'Made', data: { by: 'hand' }, metadata: {}, stream: name }),
    ]);
  });
});
