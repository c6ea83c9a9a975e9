import { Journal, UnreadableEvent } from '@palimpsest/contracts';
import { knowledgeBaseStream, retrievalStream, scope, scopeStream, type ScopeCommand } from '@palimpsest/knowledge/deciders';
import { Conflict, Corrupt, NotFound } from '@palimpsest/knowledge/errors';
import type { DomainEvent, EventMetadata } from '@palimpsest/knowledge/events';
import {
  ScopeKeyDestroyed,
  type AppendResult,
  type ExpectedRevision,
  type NewEvent,
  type ReadStreamOptions,
  type RecordedEvent,
  type StreamName,
} from '@palimpsest/knowledge/ports';
import { embeddingVersion, knowledgeBaseId, recipeWith, START, tenantId, vectorScope } from '@palimpsest/knowledge/values';
import { collect } from '../event-log-fixture.ts';
import { aJournal } from './a-journal.ts';
import { InMemoryEventLog } from './in-memory-event-log.ts';
import { InMemoryScopeKeys } from './in-memory-scope-keys.ts';

// The journal is in contracts. Its specs are here because they need a log, and contracts may not depend on the test kit.

const tenant = tenantId('acme');
const name = vectorScope('team:red');
const stream = scopeStream({ tenant, scope: name });
const metadata: EventMetadata = { tenant, scope: name, actor: 'ann', correlationId: 'request-1' };
const now = '2026-01-01T00:00:00Z';
const [mini, large, huge] = ['mini', 'large', 'huge'].map((model) => embeddingVersion(`onnx:${model}/8`));
const open: ScopeCommand = { type: 'Open', scope: name, recipe: recipeWith({ version: mini as never }), now };
const start = (version = large): ScopeCommand => ({
  type: 'StartGeneration',
  scope: name,
  recipe: recipeWith({ version: version as never }),
  now,
});

/** A log on which other writers append first, once for each of `others`. */
class ContestedLog extends InMemoryEventLog {
  appends = 0;
  readonly #others: (() => Promise<unknown>)[];

  constructor(...others: (() => Promise<unknown>)[]) {
    super();
    this.#others = others;
  }

  override async append(to: StreamName, events: readonly NewEvent[], expected: ExpectedRevision): Promise<AppendResult> {
    this.appends++;
    const other = this.#others.shift();
    if (other) await other();
    return super.append(to, events, expected);
  }
}

describe('Loading', () => {
  it('returns the initial state for a stream that does not exist', async () => {
    expect(await aJournal(new InMemoryEventLog()).load(scope, stream)).toEqual({
      state: scope.initial(),
      revision: 'no-stream',
      position: START,
    });
  });

  it('returns the state and the position of the last event', async () => {
    const journal = aJournal(new InMemoryEventLog());
    const executed = await journal.execute(scope, stream, open, metadata);
    const { events: _events, ...loaded } = executed;
    expect(await journal.load(scope, stream)).toEqual(loaded);
    expect(loaded).toMatchObject({ revision: 2, position: await journal.log.head() });
  });
});

describe('Executing a command', () => {
  it('appends the new events with their metadata, and returns the new state', async () => {
    const journal = aJournal(new InMemoryEventLog());
    const { events, state } = await journal.execute(scope, stream, open, metadata);
    expect(events.map(({ type }) => type)).toEqual(['ScopeOpened', 'GenerationStarted', 'GenerationActivated']);
    expect(state.generations).toEqual([
      { id: 'g1', embeddingVersion: mini, recipe: recipeWith({ version: mini as never }), status: 'active' },
    ]);
    const facts = await collect(journal.readStream(stream));
    expect(facts.map((fact) => [fact.event, fact.metadata, fact.revision])).toEqual(
      events.map((event, revision) => [event, metadata, revision]),
    );
  });

  it('appends nothing if there are no new events, and returns the end of the stream', async () => {
    const journal = aJournal(new InMemoryEventLog());
    const { position, revision } = await journal.execute(scope, stream, open, metadata);
    await journal.append(
      scopeStream({ tenant, scope: vectorScope('team:blue') }),
      [{ type: 'ScopeOpened', data: { scope: vectorScope('team:blue'), openedAt: now } }],
      'no-stream',
      metadata,
    );
    expect(await journal.execute(scope, stream, open, metadata)).toMatchObject({ events: [], position, revision });
    expect(await collect(journal.readAll())).toHaveLength(4);
  });

  it('throws the error of the decider', async () => {
    await expect(aJournal(new InMemoryEventLog()).execute(scope, stream, start(), metadata)).rejects.toThrow(NotFound);
  });

  it('decides again after another writer appended in between', async () => {
    const log = new InMemoryEventLog();
    const other = aJournal(log);
    await other.execute(scope, stream, open, metadata);
    const known = await other.load(scope, stream);
    await other.execute(scope, stream, start(), metadata);
    // From its stale state it would also start g2; then the decider sees that one is being built.
    await expect(aJournal(log).execute(scope, stream, start(huge), metadata, known)).rejects.toThrow(/g2 .* is already being built/);
    expect(await aJournal(log).execute(scope, stream, { ...start(large), now: '2026-01-02T00:00:00Z' }, metadata, known)).toMatchObject({
      events: [],
      revision: 3,
    });
  });

  it('retries each time another writer is faster, and appends once', async () => {
    const quicker = (revision: number) => async () => {
      const opened: DomainEvent = { type: 'ScopeOpened', data: { scope: name, openedAt: now } };
      await InMemoryEventLog.prototype.append.call(
        log,
        stream,
        [{ id: `quicker-${revision}`, type: opened.type, data: opened.data, metadata: { ...metadata, schemaVersion: 1 } }],
        revision,
      );
    };
    const log: ContestedLog = new ContestedLog(async () => {}, quicker(2), quicker(3), quicker(4));
    const journal = aJournal(log);
    await journal.execute(scope, stream, open, metadata);
    const { revision, state } = await journal.execute(scope, stream, start(), metadata);
    expect([log.appends, revision, state.generations.length]).toEqual([5, 6, 2]);
  });

  it('loads only what other writers appended since, so that it also wins against a busy one on a long stream', async () => {
    const reads: (number | undefined)[] = [];
    class CountedLog extends ContestedLog {
      override readStream(from: StreamName, options?: ReadStreamOptions): AsyncIterable<RecordedEvent> {
        reads.push(options?.from);
        return super.readStream(from, options);
      }
    }
    const log: CountedLog = new CountedLog(
      async () => {},
      async () => void (await aJournal(log).execute(scope, stream, start(), metadata)),
    );
    const journal = aJournal(log);
    await journal.execute(scope, stream, open, metadata);
    reads.length = 0;
    const known = await journal.load(scope, stream);
    await journal.execute(scope, stream, { ...start(large), now: '2026-01-02T00:00:00Z' }, metadata, known);
    // The load before, that of the other writer, and the events since.
    expect(reads).toEqual([0, 0, 3]);
  });

  it('throws Conflict when other writers are always faster', async () => {
    let revision = 2;
    const quicker = async (): Promise<void> => {
      await InMemoryEventLog.prototype.append.call(
        log,
        stream,
        [
          {
            id: `quicker-${revision}`,
            type: 'ScopeOpened',
            data: { scope: name, openedAt: now },
            metadata: { ...metadata, schemaVersion: 1 },
          },
        ],
        revision++,
      );
    };
    const log: ContestedLog = new ContestedLog(async () => {}, ...Array<typeof quicker>(100).fill(quicker));
    const journal = aJournal(log);
    await journal.execute(scope, stream, open, metadata);
    await expect(journal.execute(scope, stream, start(), metadata)).rejects.toThrow(Conflict);
    expect((await journal.load(scope, stream)).state.generations).toHaveLength(1);
  });

  it('lets one of many concurrent commands win, and the others see its result', async () => {
    const journal = aJournal(new InMemoryEventLog());
    const all = await Promise.all(Array.from({ length: 6 }, () => journal.execute(scope, stream, open, metadata)));
    expect(all.filter(({ events }) => events.length > 0)).not.toHaveLength(0);
    expect(await collect(journal.readStream(stream))).toHaveLength(3);
    expect(new Set(all.map(({ position }) => position)).size).toBe(1);
  });

  it('appends once when it is repeated after an unknown outcome', async () => {
    const journal = aJournal(new InMemoryEventLog());
    const nothing = await journal.load(scope, stream);
    const first = await journal.execute(scope, stream, open, metadata, nothing);
    // The response was lost: the same command is repeated from the state known before.
    expect(await journal.execute(scope, stream, open, metadata, nothing)).toEqual(first);
    expect(await collect(journal.readAll())).toHaveLength(3);
  });

  it('derives event ids from position and content: UUIDs that differ if either differs', async () => {
    const journal = aJournal(new InMemoryEventLog());
    const blue = vectorScope('team:blue');
    await journal.execute(scope, stream, open, metadata);
    await journal.execute(scope, scopeStream({ tenant, scope: blue }), { ...open, scope: blue }, metadata);
    const ids = (await collect(journal.readAll())).map(({ id }) => id);
    expect(new Set(ids).size).toBe(6);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});

describe('Appending to the end', () => {
  const anEvent = (number: number): DomainEvent => ({ type: 'ApiKeyRevoked', data: { keyId: `key-${number}`, revokedAt: now } });

  it('appends everything that concurrent callers append', async () => {
    const journal = aJournal(new InMemoryEventLog());
    const retrievals = retrievalStream(tenant);
    const positions = await Promise.all(
      Array.from({ length: 8 }, (_, i) => journal.appendToEnd(retrievals, [anEvent(i), anEvent(i + 100)], metadata)),
    );
    const facts = await collect(journal.readStream(retrievals));
    expect(new Set(facts.map(({ event }) => JSON.stringify(event.data))).size).toBe(16);
    expect(new Set(positions).size).toBe(8);
    // The events of one call are adjacent.
    for (let i = 0; i < 16; i += 2)
      expect(
        Number((facts[i + 1]?.event.data as { keyId: string }).keyId.slice(4)) -
          Number((facts[i]?.event.data as { keyId: string }).keyId.slice(4)),
      ).toBe(100);
  });

  it('appends after expired events', async () => {
    let time = 0;
    const log = new InMemoryEventLog({ now: () => time });
    const journal = aJournal(log);
    const retrievals = retrievalStream(tenant);
    await log.setRetention(retrievals, 1);
    await journal.appendToEnd(retrievals, [anEvent(1)], metadata);
    time = 5_000;
    await journal.appendToEnd(retrievals, [anEvent(2)], metadata);
    expect((await collect(journal.readStream(retrievals))).map(({ revision }) => revision)).toEqual([1]);
  });
});

describe('Reading', () => {
  it('returns batches without skipped events, which are not decoded, and how far they were read', async () => {
    const journal = aJournal(new InMemoryEventLog());
    const blue = vectorScope('team:blue');
    await journal.execute(scope, stream, open, metadata);
    await journal.execute(scope, scopeStream({ tenant, scope: blue }), { ...open, scope: blue }, { ...metadata, scope: blue });
    await journal.execute(scope, stream, start(), metadata);
    const seen: string[] = [];
    const isSkipped = (recorded: RecordedEvent): boolean => {
      seen.push(recorded.type);
      return recorded.metadata['scope'] === blue;
    };
    const at = (await collect(journal.readAll())).map(({ position }) => position);
    const read = await collect(journal.readBatches({ batch: () => 2, isSkipped }));
    expect(read.map(({ facts, upTo }) => [facts.map(({ metadata: { scope: of } }) => of), upTo])).toEqual([
      [[name, name], at[1]],
      [[name], at[3]],
      [[], at[5]],
      [[name], at[6]],
    ]);
    expect(seen).toHaveLength(7);
    expect(await collect(journal.readBatches({ batch: () => 2, from: await journal.log.head() }))).toEqual([]);
  });

  it('skips types outside the domain, and rejects events of the domain that it cannot read', async () => {
    const log = new InMemoryEventLog();
    const journal = aJournal(log);
    await journal.execute(scope, stream, open, metadata);
    await log.append(retrievalStream(tenant), [{ id: 'x', type: '$metadata', data: {}, metadata: {} }], 'no-stream');
    expect(await collect(journal.readAll())).toHaveLength(3);
    await log.append(
      stream,
      [
        {
          id: 'y',
          type: 'GenerationRetired',
          data: { scope: 'team:red', generation: 'second', retiredAt: now },
          metadata: { ...metadata, schemaVersion: 1 },
        },
      ],
      2,
    );
    await expect(collect(journal.readAll())).rejects.toThrow(UnreadableEvent);
    await expect(journal.load(scope, stream)).rejects.toThrow(/event GenerationRetired at position \d+: generation /);
  });

  it('follows the log as domain facts', async () => {
    const journal = aJournal(new InMemoryEventLog());
    await journal.execute(scope, stream, open, metadata);
    const stop = new AbortController();
    const seen: string[] = [];
    for await (const { facts, upTo, caughtUp } of journal.follow({ after: START, signal: stop.signal, types: ['GenerationStarted'] })) {
      seen.push(...facts.map(({ event }) => event.type), String(upTo), String(caughtUp));
      stop.abort();
    }
    expect(seen).toEqual(['GenerationStarted', String(await journal.log.head()), 'true']);
  });
});

describe('Fields about content', () => {
  const base = knowledgeBaseStream(tenant, knowledgeBaseId('handbook'));
  const chunking = { markdown: {}, tokens: {}, sheets: {}, code: {} };
  const configured = (title: string): DomainEvent => ({
    type: 'KnowledgeBaseConfigured',
    data: { id: knowledgeBaseId('handbook'), name: title, description: 'About pumps', chunking, configuredAt: now },
  });
  const aSealedLog = async (keys = new InMemoryScopeKeys()) => {
    const log = new InMemoryEventLog();
    await aJournal(log, keys).append(base, [configured('Marigold')], 'no-stream', metadata);
    return { log, keys, events: await collect(log.readAll()) };
  };

  it('are sealed on the log, and opened by everyone who has the keys', async () => {
    const { log, keys, events } = await aSealedLog();
    expect(JSON.stringify(events, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))).not.toMatch(
      /Marigold|pumps/,
    );
    const expected = [configured('Marigold')];
    const journal = aJournal(log, keys.reopened());
    expect((await collect(journal.readAll())).map(({ event }) => event)).toEqual(expected);
    expect((await collect(journal.readStream(base))).map(({ event }) => event)).toEqual(expected);
    const stop = new AbortController();
    for await (const { facts } of journal.follow({ after: START, signal: stop.signal })) {
      expect(facts.map(({ event }) => event)).toEqual(expected);
      stop.abort();
    }
  });

  it('have placeholders for a follower that does not open them, which a damaged key does not stop', async () => {
    const { log } = await aSealedLog();
    const damaged = { cipher: () => Promise.reject(new Corrupt('the key is damaged')) };
    const stop = new AbortController();
    for await (const { facts } of new Journal(log, damaged).follow({ after: START, signal: stop.signal, opens: false })) {
      expect(facts.map(({ event }) => event.data)).toMatchObject([{ id: 'handbook', name: 'erased', description: '' }]);
      stop.abort();
    }
    await expect(collect(new Journal(log, damaged).readAll())).rejects.toThrow('the key is damaged');
  });

  it('cannot be guessed from the id of the event: without the key, equal content has another id', async () => {
    const [one, other] = [await aSealedLog(), await aSealedLog()];
    expect(one.events[0]?.id).not.toBe(other.events[0]?.id);
    const again = await aJournal(one.log, one.keys).append(base, [configured('Marigold')], 'no-stream', metadata);
    expect(again).toMatchObject({ outcome: 'appended', repeated: true });
  });

  it('have placeholders once the key of the scope is destroyed, and no new ones are written', async () => {
    const { log, keys } = await aSealedLog();
    await keys.destroy({ tenant, scope: name });
    const journal = aJournal(log, keys);
    expect((await collect(journal.readAll())).map(({ event }) => event.data)).toMatchObject([
      { id: 'handbook', name: 'erased', description: '' },
    ]);
    await expect(journal.append(base, [configured('Again')], 0, metadata)).rejects.toThrow(ScopeKeyDestroyed);
  });

  it('cannot be moved to another event or scope', async () => {
    const {
      log,
      keys,
      events: [first],
    } = await aSealedLog();
    const moved = {
      id: 'ffffffff-9dc0-81d1-b245-5ffdce74fad2',
      type: 'KnowledgeBaseConfigured',
      data: first?.data ?? {},
      metadata: first?.metadata ?? {},
    };
    await log.append(base, [moved], 0);
    await expect(collect(aJournal(log, keys).readStream(base, { from: 1 }))).rejects.toThrow(Corrupt);
    const elsewhere = { ...moved, id: first?.id ?? '', metadata: { ...moved.metadata, scope: 'team:blue' } };
    const other = new InMemoryEventLog();
    await other.append(base, [elsewhere], 'no-stream');
    await expect(collect(aJournal(other, keys).readAll())).rejects.toThrow(Corrupt);
  });
});
