import { createHash } from 'node:crypto';
import { Conflict, START } from '@palimpsest/knowledge';
import type {
  Decider, DomainEvent, Event, EventLog, EventMetadata, ExpectedRevision, Fact, FollowOptions, NewEvent, Position, ReadAllOptions, ReadStreamOptions, StreamName,
} from '@palimpsest/knowledge';
import { domainCodec } from './domain-codec.ts';

export type Loaded<State> = Readonly<{ state: State; revision: ExpectedRevision; position: Position }>;

/** What a command led to: `facts` may be empty; `position` is that of the stream's last event either way. */
export type Executed<State, E extends Event<string, unknown>> = Loaded<State> & Readonly<{ events: readonly E[] }>;

export type FactBatch = Readonly<{ facts: readonly Fact<DomainEvent>[]; upTo: Position; caughtUp: boolean }>;

/** How often a command is decided anew because somebody else appended to its stream in between. */
const ATTEMPTS = 8;

/** The event log in the domain's own terms: typed facts, deciders, exact expected revisions. */
export class Journal {
  readonly log: EventLog;

  constructor(log: EventLog) {
    this.log = log;
  }

  async load<Command, State, E extends DomainEvent>(decider: Decider<Command, State, E>, stream: StreamName): Promise<Loaded<State>> {
    let loaded: { state: State; revision: ExpectedRevision; position: Position } = {
      state: decider.initial(),
      revision: 'no-stream',
      position: START,
    };
    for await (const fact of this.readStream(stream))
      loaded = { state: decider.evolve(loaded.state, fact.event as E, fact.revision), revision: fact.revision, position: fact.position };
    return loaded;
  }

  /**
   * Loads, decides, appends at exactly the revision that was decided upon; decides anew when that revision has passed.
   * `known` saves the first loading when the caller holds the latest state.
   * @throws Conflict when the stream keeps moving; whatever the decider refuses with
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
      const result = await this.append(stream, events, loaded.revision, metadata);
      if (result.outcome === 'appended') {
        const first = result.revision - events.length + 1;
        const state = events.reduce((before, event, i) => decider.evolve(before, event, first + i), loaded.state);
        return { state, revision: result.revision, position: result.position, events };
      }
      if (attempt === ATTEMPTS) throw new Conflict('it is being changed by too many others at once: try again');
      loaded = await this.load(decider, stream);
    }
  }

  append(stream: StreamName, events: readonly DomainEvent[], expected: ExpectedRevision, metadata: EventMetadata) {
    return this.log.append(stream, events.map((event, i) => newEvent(stream, expected, i, event, metadata)), expected);
  }

  /** Adds to the end, whatever is there, for facts that no decision depends on (traces). */
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
    for await (const recorded of this.log.readStream(stream, options)) yield domainCodec.decode(recorded);
  }

  async *readAll(options?: ReadAllOptions): AsyncIterable<Fact<DomainEvent>> {
    for await (const recorded of this.log.readAll({ types: domainCodec.types(), ...options })) yield domainCodec.decode(recorded);
  }

  async *follow(options: FollowOptions): AsyncIterable<FactBatch> {
    for await (const batch of this.log.follow({ types: domainCodec.types(), ...options }))
      yield { facts: batch.events.map((recorded) => domainCodec.decode(recorded)), upTo: batch.upTo, caughtUp: batch.caughtUp };
  }
}

/** The id follows from place and content, so that a retry after an unknown outcome, or after a restart, is the same append. */
const newEvent = (stream: StreamName, expected: ExpectedRevision, index: number, event: DomainEvent, metadata: EventMetadata): NewEvent => {
  const place = expected === 'no-stream' ? index : expected + 1 + index;
  const digest = createHash('sha256').update(JSON.stringify([stream, place, event.type, event.data])).digest('hex');
  const variant = ((parseInt(digest.slice(16, 18), 16) & 0x3f) | 0x80).toString(16);
  const id = `${digest.slice(0, 8)}-${digest.slice(8, 12)}-8${digest.slice(13, 16)}-${variant}${digest.slice(18, 20)}-${digest.slice(20, 32)}`;
  return domainCodec.encode(event, metadata, id);
};
