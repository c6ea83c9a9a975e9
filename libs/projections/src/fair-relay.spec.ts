import fc from 'fast-check';
import { TOPICS } from '@palimpsest/contracts';
import { pause } from '@palimpsest/foundation';
import type { EventLog } from '@palimpsest/knowledge/ports';
import type { Position } from '@palimpsest/knowledge/values';
import { aJournal, Crash, Faults, InMemoryCheckpoints, InMemoryEventLog } from '@palimpsest/test-kit';
import { inBatches, theDocument } from '@palimpsest/test-kit/histories';
import { submit } from '../test/submissions.ts';
import { holding } from '../test/held.ts';
import { Topics } from '../test/topics.ts';
import { Relay } from './relay.ts';
import type { RelayOptions } from './relay-run.ts';

const QUICK = { pollEveryMs: 1, saveEveryMs: 1 } as const satisfies RelayOptions;
const nameOf = (tenant: string, name: string, version = 1): string => `${tenant}/${theDocument(name)}@${version}`;

/** A running relay on this log; `stop` ends it as a shutdown does. */
const relaying = (log: EventLog, topics: Topics, options: RelayOptions = {}, checkpoints = new InMemoryCheckpoints()) => {
  const end = new AbortController();
  const ended = new Relay(aJournal(log), topics.asBus(), checkpoints, holding(), { ...QUICK, ...options }).run(end.signal);
  return {
    stop: async (): Promise<void> => {
      end.abort();
      await ended;
    },
  };
};

const until = async (done: () => boolean): Promise<void> => {
  while (!done()) await pause(1);
};

const submitMany = async (log: EventLog, tenant: string, count: number): Promise<void> => {
  for (let i = 0; i < count; i++) await submit(log, tenant, `${tenant}${i}`, { known: false });
};

describe('The relay, fair between tenants', () => {
  it('lets a newcomer wait for at most the window, however much another tenant has queued', async () => {
    const [log, topics] = [new InMemoryEventLog(), new Topics({ settlesImmediately: false })];
    await submitMany(log, 'a', 1_000);
    const relay = relaying(log, topics, { window: 8 });
    await until(() => topics.documents().length === 8);
    await submit(log, 'b', 'single', { known: false });
    await pause(20);
    expect(topics.documents()).toHaveLength(8);
    topics.settle(2);
    await topics.holds(10);
    expect(topics.documents()[9]).toBe(nameOf('b', 'single'));
    topics.settlesImmediately = true;
    topics.settle(Infinity);
    await topics.holds(200);
    await relay.stop();
    const ofA = topics.documents().filter((name) => name.startsWith('a/'));
    expect(ofA).toEqual(Array.from({ length: ofA.length }, (_, i) => nameOf('a', `a${i}`)));
  });

  it('gives a tenant of weight 4 four turns for each of another', async () => {
    const [log, topics] = [new InMemoryEventLog(), new Topics({ settlesImmediately: false })];
    for (const [tenant, count] of [
      ['a', 4],
      ['b', 12],
    ] as const)
      await submitMany(log, tenant, count);
    const relay = relaying(log, topics, { window: 16, min: 16, weightOf: (tenant) => (tenant === 'b' ? 4 : 1) });
    await until(() => topics.documents().length === 16);
    await relay.stop();
    expect(
      topics
        .documents()
        .map((name) => name[0])
        .join(''),
    ).toBe('abbbbabbbbabbbba');
  });

  it('publishes the work of many tenants in delay', async () => {
    const [log, topics] = [new InMemoryEventLog(), new Topics({ settlesImmediately: false })];
    for (const [tenant, count] of [
      ['a', 5],
      ['b', 3],
      ['c', 1],
    ] as const)
      await submitMany(log, tenant, count);
    const relay = relaying(log, topics, { window: 16, min: 16 });
    await topics.holds(9);
    await relay.stop();
    expect(
      topics
        .documents()
        .map((name) => name.slice(0, 1))
        .join(''),
    ).toBe('abcababaa');
  });

  it('stops reading while too much waits, and continues when half of it is published', async () => {
    const [log, topics] = [new InMemoryEventLog(), new Topics({ settlesImmediately: false })];
    await submitMany(log, 'a', 100);
    const { observed, read } = counting(inBatches(log, 5));
    const relay = relaying(observed, topics, { window: 4, maxWaiting: 20 });
    await until(() => topics.documents().length === 4);
    await pause(20);
    const first = read();
    expect(first).toBeLessThanOrEqual(4 + 20 + 5);
    topics.settle(4);
    await topics.holds(8);
    await pause(20);
    expect(read()).toBe(first);
    topics.settlesImmediately = true;
    topics.settle(Infinity);
    await topics.holds(100);
    await relay.stop();
    expect(new Set(topics.documents()).size).toBe(100);
  });

  it('publishes everything that was not published before a stop, for every tenant', async () => {
    const [log, topics, checkpoints] = [new InMemoryEventLog(), new Topics({ settlesImmediately: false }), new InMemoryCheckpoints()];
    await submitMany(log, 'a', 50);
    await submitMany(log, 'b', 2);
    const first = relaying(log, topics, { window: 8 }, checkpoints);
    await until(() => topics.documents().length === 8);
    await first.stop();
    topics.settlesImmediately = true;
    topics.settle(Infinity);
    const second = relaying(log, topics, { window: 8 }, checkpoints.reopened());
    await topics.holds(52);
    await second.stop();
    expect(new Set(topics.documents()).size).toBe(52);
  });

  type Step = Readonly<{ submit: string; name: string }> | Readonly<{ settle: number }>;
  const steps: fc.Arbitrary<readonly Step[]> = fc.array(
    fc.oneof(
      { weight: 4, arbitrary: fc.record({ submit: fc.constantFrom('a', 'a', 'a', 'b', 'c'), name: fc.constantFrom('x', 'y', 'z') }) },
      { weight: 1, arbitrary: fc.record({ settle: fc.integer({ min: 1, max: 6 }) }) },
    ),
    { minLength: 1, maxLength: 40 },
  );

  it('publishes everything once, each tenant in log order, never more than the window, for any order of submissions', () =>
    fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 1, max: 5 }), async (happened, window) => {
        const [log, topics] = [new InMemoryEventLog(), new Topics({ settlesImmediately: false })];
        const relay = relaying(log, topics, { window });
        const submitted = new Map<string, string[]>();
        for (const step of happened) {
          if ('settle' in step) topics.settle(step.settle);
          else await submitTo(log, submitted, step);
          await pause(0);
        }
        topics.settlesImmediately = true;
        topics.settle(Infinity);
        await topics.holds([...submitted.values()].flat().length);
        await relay.stop();
        for (const [tenant, documents] of submitted)
          expect(topics.documents().filter((name) => name.startsWith(`${tenant}/`))).toEqual(documents);
        expect(topics.calls.flat()).toHaveLength([...submitted.values()].flat().length);
        expect(topics.maxUnsettled).toBeLessThanOrEqual(window);
      }),
      { numRuns: 40 },
    ));

  it('loses nothing when killed anywhere, and no checkpoint passes an unpublished fact', () =>
    fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 25 }), async (happened, window, call) => {
        const [log, topics, faults] = [new InMemoryEventLog(), new Topics(), new Faults(call)];
        const submitted = new Map<string, string[]>();
        for (const step of happened) if (!('settle' in step)) await submitTo(log, submitted, step);
        const checkpoints = new Watched(log, topics);
        const relay = new Relay(
          aJournal(inBatches(log, 3)),
          faults.wrap(topics.asBus(), 'publish', 'lag'),
          faults.wrap(checkpoints as InMemoryCheckpoints, 'set'),
          holding(),
          { ...QUICK, window },
        );
        const end = new AbortController();
        const total = [...submitted.values()].flat().length;
        await Promise.race([relay.run(end.signal).catch((error: unknown) => expect(error).toBeInstanceOf(Crash)), topics.holds(total)]);
        end.abort();
        await pause(0);
        const again = relaying(log, topics, { window }, checkpoints);
        await topics.holds(total);
        await again.stop();
        for (const [tenant, documents] of submitted)
          expect(topics.documents().filter((name) => name.startsWith(`${tenant}/`))).toEqual(documents);
        expect(checkpoints.beyond).toEqual([]);
        expect(topics.maxUnsettled).toBeLessThanOrEqual(window);
      }),
      { numRuns: 60 },
    ));
});

const submitTo = async (
  log: EventLog,
  submitted: Map<string, string[]>,
  { submit: tenant, name }: Readonly<{ submit: string; name: string }>,
): Promise<void> => {
  const documents = submitted.get(tenant) ?? [];
  const before = documents.filter((other) => other.startsWith(`${tenant}/${theDocument(name)}@`)).length;
  await submit(log, tenant, name, { known: before > 0 });
  submitted.set(tenant, [...documents, nameOf(tenant, name, before + 1)]);
};

/** Checkpoints that record each position after a fact whose work is not on the bus. */
class Watched extends InMemoryCheckpoints {
  readonly beyond: Position[] = [];
  readonly #log: EventLog;
  readonly #topics: Topics;

  constructor(log: EventLog, topics: Topics) {
    super();
    this.#log = log;
    this.#topics = topics;
  }

  override async set(name: string, position: Position): Promise<void> {
    const published = new Set((this.#topics.published.get(TOPICS.ingestion) ?? []).map(({ id }) => id));
    for await (const fact of this.#log.readAll({ types: ['DocumentSubmitted'] }))
      if (fact.position <= position && !published.has(fact.id)) this.beyond.push(position);
    await super.set(name, position);
  }
}

/** Counts the facts that are read from a log. */
const counting = (log: EventLog) => {
  let read = 0;
  const observed = new Proxy(log, {
    get: (target, property) => {
      if (property !== 'follow') return Reflect.get(target, property) as unknown;
      return async function* (options: Parameters<EventLog['follow']>[0]) {
        for await (const batch of target.follow(options)) {
          read += batch.events.length;
          yield batch;
        }
      };
    },
  });
  return { observed, read: () => read };
};
