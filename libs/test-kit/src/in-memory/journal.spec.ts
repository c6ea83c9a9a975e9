import { Journal, UnreadableEvent } from '@palimpsest/contracts';
import {
  Conflict, embeddingVersion, NotFound, retrievalStream, scope, scopeStream, START, tenantId, vectorScope,
  type AppendResult, type DomainEvent, type EventMetadata, type ExpectedRevision, type NewEvent, type ScopeCommand, type StreamName,
} from '@palimpsest/knowledge';
import { collect } from '../event-log-fixture.ts';
import { InMemoryEventLog } from './in-memory-event-log.ts';

// The journal lives in contracts; its specs live here, since they need a log, and contracts may not depend upon the test kit.

const tenant = tenantId('acme');
const name = vectorScope('team:red');
const stream = scopeStream({ tenant, scope: name });
const metadata: EventMetadata = { tenant, scope: name, actor: 'ann', correlationId: 'request-1' };
const now = '2026-01-01T00:00:00Z';
const [mini, large, huge] = ['mini', 'large', 'huge'].map((model) => embeddingVersion(`onnx:${model}/8`));
const open: ScopeCommand = { type: 'Open', scope: name, embeddingVersion: mini as never, now };
const start = (version = large): ScopeCommand => ({ type: 'StartGeneration', scope: name, embeddingVersion: version as never, now });

/** A log on which somebody else is quicker, as often as is said. */
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

describe('loading', () => {
  it('finds nothing where there is nothing', async () => {
    expect(await new Journal(new InMemoryEventLog()).load(scope, stream)).toEqual({ state: scope.initial(), revision: 'no-stream', position: START });
  });

  it('gives the state, and the place of the last event', async () => {
    const journal = new Journal(new InMemoryEventLog());
    const executed = await journal.execute(scope, stream, open, metadata);
    const { events: _events, ...loaded } = executed;
    expect(await journal.load(scope, stream)).toEqual(loaded);
    expect(loaded).toMatchObject({ revision: 2, position: await journal.log.head() });
  });
});

describe('executing a command', () => {
  it('appends what follows, with what is said about it, and gives the new state', async () => {
    const journal = new Journal(new InMemoryEventLog());
    const { events, state } = await journal.execute(scope, stream, open, metadata);
    expect(events.map(({ type }) => type)).toEqual(['ScopeOpened', 'GenerationStarted', 'GenerationActivated']);
    expect(state.generations).toEqual([{ id: 'g1', embeddingVersion: mini, status: 'active' }]);
    const facts = await collect(journal.readStream(stream));
    expect(facts.map((fact) => [fact.event, fact.metadata, fact.revision])).toEqual(events.map((event, revision) => [event, metadata, revision]));
  });

  it('appends nothing when nothing follows, and answers where the stream ends', async () => {
    const journal = new Journal(new InMemoryEventLog());
    const { position, revision } = await journal.execute(scope, stream, open, metadata);
    await journal.append(scopeStream({ tenant, scope: vectorScope('team:blue') }), [{ type: 'ScopeOpened', data: { scope: vectorScope('team:blue'), openedAt: now } }], 'no-stream', metadata);
    expect(await journal.execute(scope, stream, open, metadata)).toMatchObject({ events: [], position, revision });
    expect(await collect(journal.readAll())).toHaveLength(4);
  });

  it('passes on what the decider refuses with', async () => {
    await expect(new Journal(new InMemoryEventLog()).execute(scope, stream, start(), metadata)).rejects.toThrow(NotFound);
  });

  it('decides anew on what somebody else appended in between', async () => {
    const log = new InMemoryEventLog();
    const other = new Journal(log);
    await other.execute(scope, stream, open, metadata);
    const known = await other.load(scope, stream);
    await other.execute(scope, stream, start(), metadata);
    // With what it knows, it would start g2 as well; the decider then sees that one is being built.
    await expect(new Journal(log).execute(scope, stream, start(huge), metadata, known)).rejects.toThrow(/g2 .* is being built already/);
    expect(await new Journal(log).execute(scope, stream, { ...start(large), now: '2026-01-02T00:00:00Z' }, metadata, known)).toMatchObject({ events: [], revision: 3 });
  });

  it('tries again as often as somebody is quicker, and appends once', async () => {
    const quicker = (revision: number) => async () => {
      const opened: DomainEvent = { type: 'ScopeOpened', data: { scope: name, openedAt: now } };
      await InMemoryEventLog.prototype.append.call(log, stream, [{ id: `quicker-${revision}`, type: opened.type, data: opened.data, metadata: { ...metadata, schemaVersion: 1 } }], revision);
    };
    const log: ContestedLog = new ContestedLog(async () => {}, quicker(2), quicker(3), quicker(4));
    const journal = new Journal(log);
    await journal.execute(scope, stream, open, metadata);
    const { revision, state } = await journal.execute(scope, stream, start(), metadata);
    expect([log.appends, revision, state.generations.length]).toEqual([5, 6, 2]);
  });

  it('gives up with Conflict when it is never quick enough', async () => {
    let revision = 2;
    const quicker = async (): Promise<void> => {
      await InMemoryEventLog.prototype.append.call(log, stream, [{ id: `quicker-${revision}`, type: 'ScopeOpened', data: { scope: name, openedAt: now }, metadata: { ...metadata, schemaVersion: 1 } }], revision++);
    };
    const log: ContestedLog = new ContestedLog(async () => {}, ...Array<typeof quicker>(20).fill(quicker));
    const journal = new Journal(log);
    await journal.execute(scope, stream, open, metadata);
    await expect(journal.execute(scope, stream, start(), metadata)).rejects.toThrow(Conflict);
    expect((await journal.load(scope, stream)).state.generations).toHaveLength(1);
  });

  it('lets one of many that start at once win, and the others see it', async () => {
    const journal = new Journal(new InMemoryEventLog());
    const all = await Promise.all(Array.from({ length: 6 }, () => journal.execute(scope, stream, open, metadata)));
    expect(all.filter(({ events }) => events.length > 0)).not.toHaveLength(0);
    expect(await collect(journal.readStream(stream))).toHaveLength(3);
    expect(new Set(all.map(({ position }) => position)).size).toBe(1);
  });

  it('is the same append when it is repeated after an unknown outcome', async () => {
    const journal = new Journal(new InMemoryEventLog());
    const nothing = await journal.load(scope, stream);
    const first = await journal.execute(scope, stream, open, metadata, nothing);
    // The answer got lost: the same is done again on what was known before.
    expect(await journal.execute(scope, stream, open, metadata, nothing)).toEqual(first);
    expect(await collect(journal.readAll())).toHaveLength(3);
  });

  it('makes ids from place and content: UUIDs that differ where either does', async () => {
    const journal = new Journal(new InMemoryEventLog());
    const blue = vectorScope('team:blue');
    await journal.execute(scope, stream, open, metadata);
    await journal.execute(scope, scopeStream({ tenant, scope: blue }), { ...open, scope: blue }, metadata);
    const ids = (await collect(journal.readAll())).map(({ id }) => id);
    expect(new Set(ids).size).toBe(6);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});

describe('adding to the end', () => {
  const trace = (number: number): DomainEvent => ({ type: 'ApiKeyRevoked', data: { keyId: `key-${number}`, revokedAt: now } });

  it('adds everything that many add at once', async () => {
    const journal = new Journal(new InMemoryEventLog());
    const traces = retrievalStream(tenant);
    const positions = await Promise.all(Array.from({ length: 8 }, (_, i) => journal.appendToEnd(traces, [trace(i), trace(i + 100)], metadata)));
    const facts = await collect(journal.readStream(traces));
    expect(new Set(facts.map(({ event }) => JSON.stringify(event.data))).size).toBe(16);
    expect(new Set(positions).size).toBe(8);
    // Those of one call lie together.
    for (let i = 0; i < 16; i += 2) expect(Number((facts[i + 1]?.event.data as { keyId: string }).keyId.slice(4)) - Number((facts[i]?.event.data as { keyId: string }).keyId.slice(4))).toBe(100);
  });

  it('adds behind events that have expired', async () => {
    let time = 0;
    const log = new InMemoryEventLog({ now: () => time });
    const journal = new Journal(log);
    const traces = retrievalStream(tenant);
    await log.setRetention(traces, 1);
    await journal.appendToEnd(traces, [trace(1)], metadata);
    time = 5_000;
    await journal.appendToEnd(traces, [trace(2)], metadata);
    expect((await collect(journal.readStream(traces))).map(({ revision }) => revision)).toEqual([1]);
  });
});

describe('reading', () => {
  it('passes over types that are not the domain’s, and refuses what it should understand but cannot', async () => {
    const log = new InMemoryEventLog();
    const journal = new Journal(log);
    await journal.execute(scope, stream, open, metadata);
    await log.append(retrievalStream(tenant), [{ id: 'x', type: '$metadata', data: {}, metadata: {} }], 'no-stream');
    expect(await collect(journal.readAll())).toHaveLength(3);
    await log.append(stream, [{ id: 'y', type: 'GenerationRetired', data: { scope: 'team:red', generation: 'second', retiredAt: now }, metadata: { ...metadata, schemaVersion: 1 } }], 2);
    await expect(collect(journal.readAll())).rejects.toThrow(UnreadableEvent);
    await expect(journal.load(scope, stream)).rejects.toThrow(/event GenerationRetired at position \d+: generation /);
  });

  it('follows in the domain’s own terms', async () => {
    const journal = new Journal(new InMemoryEventLog());
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
