import { createHash } from 'node:crypto';
import { Conflict } from '@palimpsest/knowledge/errors';
import type { SubjectKey } from '@palimpsest/knowledge/subjects';
import { START } from '@palimpsest/knowledge/values';
import type { Decider } from '@palimpsest/knowledge/deciders';
import type { DomainEvent, Event, EventMetadata, Fact } from '@palimpsest/knowledge/events';
import type {
  EventLog,
  ExpectedRevision,
  FollowOptions,
  NewEvent,
  ReadAllOptions,
  ReadStreamOptions,
  RecordedEvent,
  ScopeCipher,
  ScopeKeys,
  StreamName,
} from '@palimpsest/knowledge/ports';
import type { Position } from '@palimpsest/knowledge/values';
import { domainCodec } from './domain-codec.ts';
import { hasSealedFields, type Opener } from './event-codec.ts';
import { cipherIfAny, sealedForRecord, sealing } from './sealed-for.ts';

/** `subject`: the data subject whom the stream is about, if there is one. */
export type Loaded<State> = Readonly<{ state: State; revision: ExpectedRevision; position: Position; subject?: SubjectKey }>;

/** Result of a command. `events` may be empty; `position` is always the position of the last event of the stream. */
export type Executed<State, E extends Event<string, unknown>> = Loaded<State> & Readonly<{ events: readonly E[] }>;

export type FactBatch = Readonly<{ facts: readonly Fact<DomainEvent>[]; upTo: Position; caughtUp: boolean }>;

/**
 * How often a command is decided before concurrent appends to its stream make it fail. A swap that finds its vectors on the log appends
 * as fast as the log allows, and its operator must be able to pause it.
 */
const ATTEMPTS = 40;

/**
 * The event log with domain types: typed facts, deciders, exact expected revisions. It seals what events say about content under the key
 * of their scope, or of a data subject in it, and opens it. Facts whose key was destroyed have placeholders instead.
 */
export class Journal {
  readonly log: EventLog;
  readonly #keys: Pick<ScopeKeys, 'cipher'>;

  constructor(log: EventLog, keys: Pick<ScopeKeys, 'cipher'>) {
    this.log = log;
    this.#keys = keys;
  }

  async load<Command, State, E extends DomainEvent>(decider: Decider<Command, State, E>, stream: StreamName): Promise<Loaded<State>> {
    return this.#loadAfter(decider, stream, { state: decider.initial(), revision: 'no-stream', position: START });
  }

  async #loadAfter<Command, State, E extends DomainEvent>(
    decider: Decider<Command, State, E>,
    stream: StreamName,
    known: Loaded<State>,
  ): Promise<Loaded<State>> {
    let loaded = known;
    const from = known.revision === 'no-stream' ? 0 : known.revision + 1;
    for await (const fact of this.readStream(stream, { from }))
      loaded = {
        state: decider.evolve(loaded.state, fact.event as E, fact.revision),
        revision: fact.revision,
        position: fact.position,
        ...subjectOf(fact.metadata),
      };
    return loaded;
  }

  /**
   * Loads the state, decides, and appends at exactly the loaded revision. After a concurrent append, it loads the events since then, and
   * decides again.
   * `known` replaces the first load if the caller already has the latest state. Events of a stream about a data subject are about the same
   * one.
   * @throws Conflict if the stream keeps changing; all errors of the decider
   */
  async execute<Command, State, E extends DomainEvent>(
    decider: Decider<Command, State, E>,
    stream: StreamName,
    command: Command,
    metadata: EventMetadata,
    known?: Loaded<State>,
  ): Promise<Executed<State, E>> {
    let loaded = known ?? (await this.load(decider, stream));
    for (let attempt = 1; ; attempt++) {
      const events = decider.decide(command, loaded.state);
      if (events.length === 0) return { ...loaded, events };
      const about = { ...metadata, ...subjectOf(loaded) };
      const result = await this.append(stream, events, loaded.revision, about);
      if (result.outcome === 'appended') {
        const first = result.revision - events.length + 1;
        const state = events.reduce((before, event, i) => decider.evolve(before, event, first + i), loaded.state);
        return { state, revision: result.revision, position: result.position, events, ...subjectOf(about) };
      }
      if (attempt === ATTEMPTS) throw new Conflict('too many concurrent changes; try again');
      loaded = await this.#loadAfter(decider, stream, loaded);
    }
  }

  /** @throws ScopeKeyDestroyed if an event has fields to seal, and its scope or data subject was erased */
  async append(stream: StreamName, events: readonly DomainEvent[], expected: ExpectedRevision, metadata: EventMetadata) {
    const { tenant, scope, subject } = metadata;
    const needsCipher = scope !== undefined && events.some((event) => domainCodec.needsCipher(event));
    const cipher = needsCipher ? await this.#keys.cipher(sealing({ tenant, scope }, subject)) : undefined;
    return this.log.append(
      stream,
      events.map((event, i) => newEvent(stream, expected, i, event, metadata, cipher)),
      expected,
    );
  }

  /** Appends without an expected revision, for events that no decision depends on (retrieval records, audit entries). */
  async appendToEnd(stream: StreamName, events: readonly DomainEvent[], metadata: EventMetadata): Promise<Position> {
    let expected: ExpectedRevision = 'no-stream';
    for await (const last of this.log.readStream(stream, { direction: 'backwards', limit: 1 })) expected = last.revision;
    for (;;) {
      const result = await this.append(stream, events, expected, metadata);
      if (result.outcome === 'appended') return result.position;
      expected = result.actual;
    }
  }

  async *readStream(stream: StreamName, options?: ReadStreamOptions): AsyncIterable<Fact<DomainEvent>> {
    for await (const recorded of this.log.readStream(stream, options)) yield await this.decode(recorded);
  }

  async *readAll(options?: ReadAllOptions): AsyncIterable<Fact<DomainEvent>> {
    for await (const recorded of this.log.readAll({ types: domainCodec.types(), ...options })) yield await this.decode(recorded);
  }

  /**
   * The same in batches of at most `batch()` events, with those that are skipped. `isSkipped`: events that are not decoded and not
   * returned. `upTo`: everything up to it was read.
   */
  async *readBatches({
    batch,
    isSkipped = () => false,
    ...options
  }: Omit<ReadAllOptions, 'direction' | 'limit'> &
    Readonly<{ batch: () => number; isSkipped?: (recorded: RecordedEvent) => boolean }>): AsyncIterable<
    Readonly<{ facts: readonly Fact<DomainEvent>[]; upTo: Position }>
  > {
    let [facts, read, upTo]: [Fact<DomainEvent>[], number, Position] = [[], 0, START];
    for await (const recorded of this.log.readAll({ types: domainCodec.types(), ...options })) {
      if (!isSkipped(recorded)) facts.push(hasSealedFields(recorded) ? await this.decode(recorded) : domainCodec.decode(recorded));
      upTo = recorded.position;
      if (++read < batch()) continue;
      yield { facts, upTo };
      [facts, read] = [[], 0];
    }
    if (read > 0) yield { facts, upTo };
  }

  /** `opens: false`: sealed fields have placeholders, so that no damaged key of a scope stops the reader. */
  async *follow({ opens = true, ...options }: FollowOptions & Readonly<{ opens?: boolean }>): AsyncIterable<FactBatch> {
    for await (const batch of this.log.follow({ types: domainCodec.types(), ...options })) {
      const facts: Fact<DomainEvent>[] = [];
      for (const recorded of batch.events)
        facts.push(opens && hasSealedFields(recorded) ? await this.decode(recorded) : domainCodec.decode(recorded, 'destroyed'));
      yield { facts, upTo: batch.upTo, caughtUp: batch.caughtUp };
    }
  }

  /** @throws UnreadableEvent, Corrupt */
  async decode(recorded: RecordedEvent): Promise<Fact<DomainEvent>> {
    return domainCodec.decode(recorded, hasSealedFields(recorded) ? await this.#openerOf(recorded) : undefined);
  }

  async #openerOf(recorded: RecordedEvent): Promise<Opener> {
    const of = sealedForRecord(recorded);
    return of && ((await cipherIfAny(this.#keys, of)) ?? 'destroyed');
  }
}

const subjectOf = ({ subject }: Readonly<{ subject?: SubjectKey | undefined }>): Readonly<{ subject?: SubjectKey }> =>
  subject === undefined ? {} : { subject };

/**
 * Derives the id from place and content, so that a retry after an unknown outcome or a restart is the same append. With a cipher the
 * digest is keyed: an unkeyed one would confirm guesses of the sealed fields.
 */
const newEvent = (
  stream: StreamName,
  expected: ExpectedRevision,
  index: number,
  event: DomainEvent,
  metadata: EventMetadata,
  cipher: ScopeCipher | undefined,
): NewEvent => {
  const place = expected === 'no-stream' ? index : expected + 1 + index;
  const content = JSON.stringify([stream, place, event.type, event.data]);
  const digest = cipher ? cipher.digest(content, 'event id') : createHash('sha256').update(content).digest('hex');
  const variant = ((parseInt(digest.slice(16, 18), 16) & 0x3f) | 0x80).toString(16);
  const id = `${digest.slice(0, 8)}-${digest.slice(8, 12)}-8${digest.slice(13, 16)}-${variant}${digest.slice(18, 20)}-${digest.slice(20, 32)}`;
  return domainCodec.encode(event, metadata, id, cipher);
};
