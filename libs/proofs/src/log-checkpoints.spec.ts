import fc from 'fast-check';
import { encodePositions } from '@palimpsest/contracts';
import { SYSTEM } from '@palimpsest/foundation';
import { auditStream } from '@palimpsest/knowledge/deciders';
import { streamName, type EventLog, type NewEvent, type RecordedEvent, type StreamName } from '@palimpsest/knowledge/ports';
import { checkpointStream } from '@palimpsest/knowledge/proofs';
import { position, START, tenantId, type Position } from '@palimpsest/knowledge/values';
import { aJournal, InMemoryEventLog, inMemorySigner } from '@palimpsest/test-kit';
import { checkLog, type KnownCheckpoint } from './check-log.ts';
import { LogCheckpoints } from './log-checkpoints.ts';

const SIGNER = inMemorySigner();
const AUDIT = auditStream(tenantId('acme'));

let ids = 0;
const anEvent = (content = 'text'): NewEvent => ({
  id: `00000000-0000-4000-8000-${String(++ids).padStart(12, '0')}`,
  type: 'Noted',
  data: { content },
  metadata: { tenant: 'acme' },
});

class World {
  readonly log = new InMemoryEventLog();
  readonly journal = aJournal(this.log);
  readonly checkpoints = new LogCheckpoints({ journal: this.journal, signer: SIGNER, system: SYSTEM });

  async append(stream: string | StreamName, count = 1): Promise<void> {
    for (let n = 0; n < count; n++) {
      const name = stream === AUDIT ? AUDIT : streamName('note', stream);
      await this.journal.log.append(name, [anEvent()], await this.last(name));
    }
  }

  async last(stream: StreamName): Promise<number | 'no-stream'> {
    for await (const { revision } of this.log.readStream(stream, { direction: 'backwards', limit: 1 })) return revision;
    return 'no-stream';
  }
}

const positions = async (log: EventLog): Promise<readonly Position[]> => {
  const found: Position[] = [];
  for await (const record of log.readAll()) found.push(record.position);
  return found;
};

const check = (log: EventLog, known?: KnownCheckpoint, signer = SIGNER) =>
  checkLog(log, { publicKey: signer.publicKey, scheduler: SYSTEM.scheduler, ...(known ? { known } : {}) });

/** The log after its files were changed. */
const tampered = (log: EventLog, change: (records: readonly RecordedEvent[]) => readonly RecordedEvent[]): EventLog => {
  const all = async (): Promise<readonly RecordedEvent[]> => {
    const records: RecordedEvent[] = [];
    for await (const record of log.readAll()) records.push(record);
    return change(records);
  };
  return {
    ...log,
    head: () => log.head(),
    async *readAll({ types, from = START } = {}) {
      yield* (await all()).filter(({ type, position: at }) => at > from && (types === undefined || types.includes(type)));
    },
    async *readStream(stream, { limit = Infinity } = {}) {
      yield* (await all()).filter((record) => record.stream === stream).slice(0, limit);
    },
  } as EventLog;
};

const aSignedWorld = async (): Promise<World> => {
  const world = new World();
  await world.append('a', 5);
  await world.checkpoints.sign();
  await world.append('b', 7);
  await world.append('a', 2);
  await world.checkpoints.sign();
  await world.append('b', 1);
  await world.checkpoints.sign();
  return world;
};

describe('The checkpoints of a log', () => {
  it('sign every record once, and nothing if there is nothing new', async () => {
    const { log, checkpoints } = await aSignedWorld();
    const head = await log.head();
    await checkpoints.sign();
    expect(await log.head()).toBe(head);
    const found = await check(log);
    expect(found).toMatchObject({ intact: true, records: 15, expired: 0, checkpoints: 3, unsigned: 0, findings: [], last: { number: 3 } });
  });

  it('do not protect what came after the last one, and say so', async () => {
    const world = await aSignedWorld();
    await world.append('c', 4);
    expect(await check(world.log)).toMatchObject({ intact: true, records: 15, unsigned: 4 });
    expect(await world.checkpoints.covering(await world.log.head())).toBeUndefined();
  });

  it('contain at most 1,024 records each', async () => {
    const world = new World();
    for (let n = 0; n < 3; n++)
      await world.log.append(
        streamName('note', String(n)),
        Array.from({ length: 700 }, () => anEvent()),
        'no-stream',
      );
    await world.checkpoints.sign();
    expect(await check(world.log)).toMatchObject({ intact: true, records: 2_100, checkpoints: 3 });
    const numberAt = async (n: number) => (await world.checkpoints.covering((await positions(world.log))[n] as Position))?.number;
    expect([await numberAt(0), await numberAt(1_023), await numberAt(1_024), await numberAt(2_099)]).toEqual([1, 1, 2, 3]);
  });

  it('are signed by one of two processes', async () => {
    const world = new World();
    await world.append('a', 9);
    const other = new LogCheckpoints({ journal: world.journal, signer: SIGNER, system: SYSTEM });
    await Promise.all([world.checkpoints.sign(), other.sign(), world.checkpoints.sign()]);
    expect(await check(world.log)).toMatchObject({ intact: true, records: 9, checkpoints: 1 });
  });

  it('sign records with unpaired surrogates', async () => {
    const world = new World();
    await world.log.append(streamName('note', 'a'), [anEvent('\ud800'), anEvent('\udc00')], 'no-stream');
    await world.checkpoints.sign();
    expect(await check(world.log)).toMatchObject({ intact: true, records: 2 });
  });

  it('stay valid when the log removes records by their age, but not when others are removed', async () => {
    const world = new World();
    await world.append(AUDIT, 3);
    await world.append('a', 2);
    await world.append(AUDIT, 3);
    await world.checkpoints.sign();
    const all = await positions(world.log);
    const without = (...removed: readonly number[]) =>
      check(tampered(world.log, (records) => records.filter((record) => !removed.includes(all.indexOf(record.position) + 1))));
    expect(await without(1, 2)).toMatchObject({ intact: true, records: 6, expired: 2 });
    expect(await without(1, 2, 3, 6, 7, 8)).toMatchObject({ intact: true, records: 2, expired: 6 });
    expect(await without(1, 3)).toMatchObject({ intact: false, findings: [{ kind: 'removed', position: all[2] }] });
    expect(await without(4)).toMatchObject({ intact: false, findings: [{ kind: 'removed', position: all[3] }] });
  });

  it('stay valid when the log removes old history and lists it, but not when it removes more', async () => {
    const world = await aSignedWorld();
    const all = await positions(world.log);
    const listed = [all[0], all[1], all[6]] as Position[];
    const of = (text: string, revision: number | 'no-stream') =>
      world.log.append(streamName('note', 'c'), [{ ...anEvent(), type: 'DocumentHistoryRemoved', data: { positions: text } }], revision);
    await of(encodePositions(START, listed), 'no-stream');
    await of('gA==', 0);
    const without = (...removed: readonly number[]) =>
      check(tampered(world.log, (records) => records.filter((record) => !removed.includes(all.indexOf(record.position)))));
    expect(await without(0, 1, 6)).toMatchObject({ intact: true, records: 12, vacuumed: 3, unsigned: 2 });
    // It is about to be removed, and is compared until then.
    expect(await without(0)).toMatchObject({ intact: true, records: 14, vacuumed: 1 });
    expect(await without(0, 2)).toMatchObject({ intact: false, vacuumed: 1, findings: [{ kind: 'removed', position: all[2] }] });
    const changed = tampered(world.log, ([first, ...rest]) => [{ ...(first as RecordedEvent), data: { content: 'other' } }, ...rest]);
    expect(await check(changed)).toMatchObject({ intact: false, vacuumed: 0, findings: [{ kind: 'changed', position: all[0] }] });
  });

  it('stay valid when history is removed while the log is checked', async () => {
    const world = await aSignedWorld();
    const all = await positions(world.log);
    const list = (at: number, revision: number | 'no-stream') => {
      const data = { positions: encodePositions(START, [all[at] as Position]) };
      return world.log.append(streamName('note', 'c'), [{ ...anEvent(), type: 'DocumentHistoryRemoved', data }], revision);
    };
    await list(0, 'no-stream');
    const log = tampered(world.log, (records) => records.filter(({ position: at }) => at !== all[0] && at !== all[13]));
    const { head } = log;
    // The second list is written after the first was read.
    let reads = 0;
    log.head = async () => {
      reads += 1;
      if (reads === 2) await list(13, 0);
      return head();
    };
    expect(await check(log)).toMatchObject({ intact: true, vacuumed: 2 });
  });

  it('are not those of another installation', async () => {
    const { log } = await aSignedWorld();
    const found = await check(log, undefined, inMemorySigner('another'));
    expect([found.intact, found.findings[0]?.message]).toEqual([false, expect.stringContaining('signed with another key')]);
  });

  it('let a caller find out that a log was cut off, or written again from an earlier point', async () => {
    const world = await aSignedWorld();
    const { last } = await check(world.log);
    expect(await check(world.log, last)).toMatchObject({ intact: true });
    const cut = tampered(world.log, (records) => records.slice(0, 10));
    expect(await check(cut)).toMatchObject({ intact: true, checkpoints: 1 });
    expect(await check(cut, last)).toMatchObject({ intact: false, findings: [{ message: expect.stringContaining('checkpoint 3') }] });
    const again = await aSignedWorld();
    expect(await check(again.log, last)).toMatchObject({
      intact: false,
      findings: [{ message: expect.stringContaining('not the one that you know') }],
    });
  });
});

describe('A signed log', () => {
  type Change = Readonly<{ kind: 'change' | 'remove' | 'insert' | 'swap'; at: number; other: number; field: number }>;
  const changes: fc.Arbitrary<Change> = fc.record({
    kind: fc.constantFrom('change', 'remove', 'insert', 'swap'),
    at: fc.nat(),
    other: fc.nat(),
    field: fc.nat(6),
  });

  const changed = (record: RecordedEvent, field: number): RecordedEvent =>
    [
      { ...record, data: { ...record.data, content: 'another text' } },
      { ...record, metadata: { ...record.metadata, tenant: 'other' } },
      { ...record, type: 'Denied' },
      { ...record, stream: streamName('note', 'z') },
      { ...record, revision: record.revision + 1 },
      { ...record, recordedAt: '2001-01-01T00:00:00.000Z' },
      { ...record, id: record.id.replace(/^0/, '1') },
    ][field] as RecordedEvent;

  /** What was done, and the first position at which it was done. */
  const apply = (
    records: readonly RecordedEvent[],
    { kind, at, other, field }: Change,
  ): Readonly<{ records: readonly RecordedEvent[]; first: bigint }> => {
    const notes = records.filter(({ stream }) => stream !== checkpointStream());
    const one = notes[at % notes.length] as RecordedEvent;
    if (kind === 'change')
      return { records: records.map((record) => (record === one ? changed(one, field) : record)), first: one.position };
    if (kind === 'remove') return { records: records.filter((record) => record !== one), first: one.position };
    const second = notes[other % notes.length] as RecordedEvent;
    if (kind === 'swap' && second !== one) {
      const [low, high] = one.position < second.position ? [one, second] : [second, one];
      const swapped = (record: RecordedEvent): RecordedEvent =>
        record === low ? { ...high, position: low.position } : record === high ? { ...low, position: high.position } : record;
      return { records: records.map(swapped), first: low.position };
    }
    const inserted = { ...one, ...anEvent('inserted'), position: position(one.position - 1n) };
    return {
      records: [...records, inserted].sort((a, b) => Number(a.position - b.position)),
      first: inserted.position,
    };
  };

  it('shows each of 1,000 changes, and names the first record of it', async () => {
    const world = new World();
    for (const [stream, count] of [
      ['a', 6],
      ['b', 5],
      ['a', 9],
    ] as const) {
      await world.append(stream, count);
      await world.checkpoints.sign();
    }
    expect(await check(world.log)).toMatchObject({ intact: true, records: 20, checkpoints: 3 });
    await fc.assert(
      fc.asyncProperty(changes, async (change) => {
        let first = 0n;
        const log = tampered(world.log, (records) => {
          const done = apply(records, change);
          first = done.first;
          return done.records;
        });
        const found = await check(log);
        expect([found.intact, found.findings[0]?.position]).toEqual([false, first]);
      }),
      { numRuns: 1_000 },
    );
  });

  it('shows each change of a checkpoint', async () => {
    const { log } = await aSignedWorld();
    await fc.assert(
      fc.asyncProperty(
        fc.nat(2),
        fc.constantFrom(
          'number',
          'after',
          'upTo',
          'records',
          'root',
          'previous',
          'signedAt',
          'keyId',
          'signature',
          'positions',
          'contents',
          'expiring',
          'all',
        ),
        async (n, field) => {
          const changedField = (value: unknown): unknown =>
            field === 'expiring'
              ? { 'note-a': [[0, 0]] }
              : typeof value === 'number'
                ? value + 1
                : field === 'signedAt'
                  ? '2001-01-01T00:00:00.000Z'
                  : field === 'after' || field === 'upTo'
                    ? String(BigInt(String(value)) + 1n)
                    : String(value).replace(/[0-9A-Za-z]/, (c) => (c === '1' ? '2' : '1'));
          const found = await check(
            tampered(log, (records) => {
              const checkpoint = records.filter(({ stream }) => stream === checkpointStream())[n];
              if (field === 'all') return records.filter((record) => record !== checkpoint || n === 2);
              return records.map((record) =>
                record === checkpoint
                  ? { ...record, data: { ...record.data, [field]: changedField(record.data[field]) } as never }
                  : record,
              );
            }),
          );
          expect(found.intact).toBe(field === 'all' && n === 2);
        },
      ),
      { numRuns: 200 },
    );
  });
});
