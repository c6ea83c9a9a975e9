import { TOPICS } from '@palimpsest/contracts';
import { authorise } from '@palimpsest/knowledge/access';
import { tenantId } from '@palimpsest/knowledge/values';
import type { AppendResult, EventLog, ExpectedRevision } from '@palimpsest/knowledge/ports';
import type { LexicalPut } from '@palimpsest/knowledge/read-models';
import type { InMemoryLexicalIndex } from '@palimpsest/test-kit';
import type { Life } from '../kernel/world.ts';
import type { Cluster } from '../nodes/cluster.ts';
import { SCOPE } from '../workload/tenant.ts';
import { NO_MUTANT, type Seams } from './mutant.ts';

/** A port with some methods replaced. */
const replacing = <Port extends object>(port: Port, replaced: Partial<Port>): Port =>
  new Proxy(port, {
    get: (target, property) =>
      property in replaced ? replaced[property as keyof Port] : (Reflect.get(target, property, target) as unknown),
  });

type Mutant = (cluster: Cluster) => Partial<Seams>;

const revisionAfter = (expected: ExpectedRevision, events: number): number => (expected === 'no-stream' ? -1 : expected) + events;

/** Planted bugs by name. Each is what a wrong adapter, or a wrong use of a port, would do. */
export const MUTANTS = {
  /** The log acknowledges some appends that it does not record. */
  'lost acknowledgement': ({ world }) => ({
    log: (log) =>
      replacing(log, {
        append: async (stream, events, expected): Promise<AppendResult> =>
          world.prng.chance(0.03)
            ? { outcome: 'appended', revision: revisionAfter(expected, events.length), position: await log.head(), repeated: false }
            : log.append(stream, events, expected),
      }),
  }),
  /** The checkpoint of the read models is saved although an index did not flush. */
  'checkpoint before data': ({ world }) => ({
    stores: (stores) => ({
      ...stores,
      lexical: replacing(stores.lexical, { flush: async () => (world.prng.chance(0.5) ? undefined : stores.lexical.flush()) }),
    }),
  }),
  /** A message is acknowledged when its work begins. */
  'acknowledged before handled': () => ({
    bus: (bus) =>
      replacing(bus, {
        consume: (options, handler) => bus.consume(options, async (deliveries) => void handler(deliveries).catch(() => undefined)),
      }),
  }),
  /** An index adds a chunk again when it is projected again. */
  'double projection': () => ({
    stores: (stores) => ({
      ...stores,
      lexical: replacing(stores.lexical, {
        apply: (partition, writes, upTo) => {
          const known = new Set((stores.lexical as InMemoryLexicalIndex).puts(partition).map(({ chunkId }) => chunkId));
          const again = writes.filter((write): write is LexicalPut => write.write === 'put' && known.has(write.chunkId));
          const twins = again.map((put) => ({ ...put, chunkId: [...put.chunkId].reverse().join('') as LexicalPut['chunkId'] }));
          return stores.lexical.apply(partition, [...writes, ...twins], upTo);
        },
      }),
    }),
  }),
  /** A process believes in its lease after the lease has ended. The bus ignores what it publishes then, and says nothing. */
  'stale leader': ({ leases: server }) => {
    const leaders = new Set<Life>();
    return {
      leases: (leases, life) =>
        replacing(leases, {
          join: (task, count, hold) =>
            leases.join(task, count, (share) => {
              leaders.add(life);
              return hold(share, new AbortController().signal);
            }),
        }),
      bus: (bus, life) =>
        replacing(bus, {
          publish: async (topic, messages) =>
            leaders.has(life) && topic === TOPICS.ingestion && !server.holds('relay', life) ? undefined : bus.publish(topic, messages),
        }),
    };
  },
  /** A process that was restarted does not see deletions. */
  'dropped tombstone': () => ({
    log: (log, life) =>
      life.name.endsWith('#1')
        ? log
        : replacing(log, {
            async *follow(options) {
              for await (const batch of log.follow(options))
                yield { ...batch, events: batch.events.filter(({ type }) => type !== 'DocumentDeleted') };
            },
          }),
  }),
  /** An append without an answer is repeated under new ids, at the revision that the stream has now. */
  'append with new ids': ({ world }) => ({
    log: (log) =>
      replacing(log, {
        append: async (stream, events, expected) => {
          try {
            return await log.append(stream, events, expected);
          } catch {
            const again = events.map((event) => ({ ...event, id: world.prng.uuid() }));
            const result = await log.append(stream, again, expected);
            return result.outcome === 'conflict' ? log.append(stream, again, result.actual) : result;
          }
        },
      }),
  }),
  /** The log records events although another process has changed the stream. */
  'revision ignored': () => ({
    log: (log) =>
      replacing(log, {
        append: async (stream, events, expected) => {
          const result = await log.append(stream, events, expected);
          return result.outcome === 'conflict' ? log.append(stream, events, result.actual) : result;
        },
      }),
  }),
  /** A subscription that continues begins one event too late. */
  'skipped event': ({ world }) => ({
    log: (log) =>
      replacing(log, {
        async *follow(options) {
          const after = world.prng.chance(0.3) ? await skipOne(log, options.after) : options.after;
          yield* log.follow({ ...options, after });
        },
      }),
  }),
  /** The bus says that messages are published before it has stored them. */
  'published later': ({ world }) => ({
    bus: (bus, life) =>
      replacing(bus, {
        publish: async (topic, messages) =>
          void world.plan(300, 'publishes later', () => void bus.publish(topic, messages).catch(() => undefined), life),
      }),
  }),
  /** Index and catalog return what is in other tenants' scopes. */
  'scope ignored': () => ({
    stores: (stores) => {
      const everywhere = ['acme', 'rival'].flatMap((name) =>
        authorise({ tenant: tenantId(name), teams: ['red'], roles: ['reader'], actor: 'mutant' }, [SCOPE]),
      );
      return {
        ...stores,
        catalog: replacing(stores.catalog, {
          visible: (_, ids, list) => stores.catalog.visible(everywhere, ids, list),
          chunks: (_, ids, list) => stores.catalog.chunks(everywhere, ids, list),
        }),
        lexical: replacing(stores.lexical, {
          search: async (partition, text, query) => {
            const all = everywhere.map((scope) => stores.lexical.search({ ...partition, scope }, text, query));
            return (await Promise.all(all)).flat();
          },
        }),
      };
    },
  }),
  /** The blob store acknowledges an upload that it does not store. */
  'lost upload': ({ world }) => ({
    blobs: (blobs) => replacing(blobs, { put: async (key, bytes) => (world.prng.chance(0.1) ? undefined : blobs.put(key, bytes)) }),
  }),
  /** A catalog commits its position with a part of the changes. */
  'torn transaction': ({ world }) => ({
    stores: (stores) => ({
      ...stores,
      catalog: replacing(stores.catalog, {
        apply: (changes, upTo) => stores.catalog.apply(world.prng.chance(0.05) ? changes.slice(0, changes.length / 2) : changes, upTo),
      }),
    }),
  }),
  /** A generation is activated without a look at the documents that need its vectors. */
  'early activation': () => ({
    stores: (stores, life) =>
      life.name.startsWith('reembedding')
        ? { ...stores, catalog: replacing(stores.catalog, { indexedDocuments: () => Promise.resolve([]) }) }
        : stores,
  }),
  /** A reader does not wait until the read models have reached its position. */
  'read before reached': () => ({
    readModels: (runner) => replacing(runner, { reached: () => Promise.resolve(true) }),
  }),
} satisfies Readonly<Record<string, Mutant>>;

/** The position of the next event, as if it had been handled. */
const skipOne = async (log: EventLog, after: Parameters<EventLog['follow']>[0]['after']) => {
  for await (const { position } of log.readAll({ from: after, limit: 1 })) return position;
  return after;
};

/** @throws Error for an unknown name */
export const seamsOf = (name: string | undefined, cluster: Cluster): Seams => {
  if (name === undefined) return NO_MUTANT;
  const mutants: Readonly<Record<string, Mutant>> = MUTANTS;
  const mutant = mutants[name];
  if (mutant === undefined) throw new Error(`there is no mutant "${name}"`);
  return { ...NO_MUTANT, ...mutant(cluster) };
};
