import { InvalidValue, Unavailable } from '@palimpsest/knowledge/errors';
import { MAX_APPEND_BYTES } from '@palimpsest/knowledge/ports';
import { laterOf, START } from '@palimpsest/knowledge/values';
import type {
  AppendResult,
  EventLog,
  ExpectedRevision,
  FollowBatch,
  FollowOptions,
  NewEvent,
  ReadAllOptions,
  ReadStreamOptions,
  RecordedEvent,
  StreamName,
} from '@palimpsest/knowledge/ports';
import type { Position } from '@palimpsest/knowledge/values';

/** The data of a log, for reopening it. `streams` and `ids` find in `events`: specs append many thousand events. */
type Stored = Readonly<{
  events: RecordedEvent[];
  streams: Map<StreamName, RecordedEvent[]>;
  ids: Map<string, RecordedEvent>;
  retention: Map<StreamName, number>;
}>;

const nothingStored = (): Stored => ({ events: [], streams: new Map(), ids: new Map(), retention: new Map() });

/** Positions have gaps, as in some real logs, so that no code relies on consecutive positions. */
const GAP = 3n;

/** The event log as a list, for specs of code that uses it. Fulfils the contract of `EventLog`, but does not outlive the process. */
export class InMemoryEventLog implements EventLog {
  readonly #stored: Stored;
  readonly #now: () => number;
  readonly #waiting = new Set<() => void>();
  #closed = false;

  constructor({ now = () => 0, stored = nothingStored() }: Readonly<{ now?: () => number; stored?: Stored }> = {}) {
    this.#now = now;
    this.#stored = stored;
  }

  /** Another log with the same events, as after a restart. */
  reopened(): InMemoryEventLog {
    return new InMemoryEventLog({ now: this.#now, stored: this.#stored });
  }

  async append(stream: StreamName, events: readonly NewEvent[], expected: ExpectedRevision): Promise<AppendResult> {
    this.#checkOpen();
    if (events.length === 0) throw new InvalidValue('events', 'at least one event', events);
    const bytes = events.reduce(
      (sum, { data, metadata }) => sum + Buffer.byteLength(JSON.stringify(data)) + Buffer.byteLength(JSON.stringify(metadata)),
      0,
    );
    if (bytes > MAX_APPEND_BYTES) throw new InvalidValue('events', `at most ${MAX_APPEND_BYTES} bytes`, `${bytes} bytes`);
    const repeated = this.#repeated(stream, events, expected);
    if (repeated) return { outcome: 'appended', revision: repeated.revision, position: repeated.position, repeated: true };
    const ofStream = this.#stored.streams.get(stream) ?? [];
    const actual = ofStream.at(-1)?.revision ?? 'no-stream';
    if (actual !== expected || events.some(({ id }) => this.#stored.ids.has(id))) return { outcome: 'conflict', actual };
    const first = expected === 'no-stream' ? 0 : expected + 1;
    const recordedAt = new Date(this.#now()).toISOString();
    for (const [at, event] of events.entries()) {
      const position = (this.#head() + GAP) as Position;
      const recorded = Object.freeze({ ...written(event), stream, revision: first + at, position, recordedAt });
      this.#stored.events.push(recorded);
      this.#stored.ids.set(recorded.id, recorded);
      ofStream.push(recorded);
    }
    this.#stored.streams.set(stream, ofStream);
    for (const wake of [...this.#waiting]) wake();
    return { outcome: 'appended', revision: first + events.length - 1, position: this.#head(), repeated: false };
  }

  async *readStream(
    stream: StreamName,
    { from, direction = 'forwards', limit = Infinity }: ReadStreamOptions = {},
  ): AsyncIterable<RecordedEvent> {
    this.#checkOpen();
    const ofStream = this.#visible(this.#stored.streams.get(stream) ?? []);
    const wanted =
      direction === 'forwards'
        ? ofStream.filter(({ revision }) => revision >= (from ?? 0))
        : ofStream.reverse().filter(({ revision }) => revision <= (from ?? Infinity));
    yield* wanted.slice(0, limit);
  }

  async *readAll({ from, upTo, direction = 'forwards', limit = Infinity, types }: ReadAllOptions = {}): AsyncIterable<RecordedEvent> {
    this.#checkOpen();
    if (upTo !== undefined && direction === 'backwards')
      throw new InvalidValue('upTo', 'no upper bound when reading backwards', String(upTo));
    const later = direction === 'forwards' ? this.#after(from ?? START) : this.#stored.events;
    const ofTypes = this.#visible(later).filter(({ type }) => types === undefined || types.includes(type));
    const wanted =
      direction === 'forwards'
        ? ofTypes.filter(({ position }) => upTo === undefined || position <= upTo)
        : ofTypes.reverse().filter(({ position }) => from === undefined || position < from);
    yield* wanted.slice(0, limit);
  }

  async *follow({ after, types, signal, maxBatch = 512 }: FollowOptions): AsyncIterable<FollowBatch> {
    for (let [upTo, first] = [after, true]; !signal.aborted; first = false) {
      this.#checkOpen();
      if (!first && this.#head() <= upTo) {
        await this.#appended(signal);
        continue;
      }
      const matching = this.#visible(this.#after(upTo)).filter(({ type }) => types === undefined || types.includes(type));
      const events = matching.slice(0, maxBatch);
      const caughtUp = events.length === matching.length;
      upTo = caughtUp ? laterOf(upTo, this.#head()) : (events.at(-1)?.position ?? upTo);
      yield { events, upTo, caughtUp };
    }
  }

  async head(): Promise<Position> {
    return this.#head();
  }

  async setRetention(stream: StreamName, maxAgeSeconds: number | undefined): Promise<void> {
    if (maxAgeSeconds === undefined) this.#stored.retention.delete(stream);
    else this.#stored.retention.set(stream, maxAgeSeconds);
  }

  async truncate(stream: StreamName, before: number): Promise<void> {
    this.#checkOpen();
    const ofStream = this.#stored.streams.get(stream) ?? [];
    const last = ofStream.at(-1)?.revision ?? -1;
    if (!Number.isSafeInteger(before) || before < 0 || before > last)
      throw new InvalidValue('before', `a revision of stream ${stream}, 0 to ${last}`, before);
    const removed = new Set(ofStream.filter(({ revision }) => revision < before));
    for (const { id } of removed) this.#stored.ids.delete(id);
    for (const events of [ofStream, this.#stored.events]) events.splice(0, events.length, ...events.filter((event) => !removed.has(event)));
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const wake of [...this.#waiting]) wake();
  }

  #head(): Position {
    return this.#stored.events.at(-1)?.position ?? START;
  }

  /** The events with a later position. */
  #after(position: Position): readonly RecordedEvent[] {
    const { events } = this.#stored;
    let [low, high] = [0, events.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((events[middle]?.position ?? START) > position) high = middle;
      else low = middle + 1;
    }
    return low === 0 ? events : events.slice(low);
  }

  #visible(events: readonly RecordedEvent[]): RecordedEvent[] {
    const { retention } = this.#stored;
    if (retention.size === 0) return [...events];
    return events.filter(({ stream, recordedAt }) => {
      const seconds = retention.get(stream);
      return seconds === undefined || this.#now() - Date.parse(recordedAt) <= seconds * 1000;
    });
  }

  /** The last of these events, if all of them are already stored exactly where they would be appended. */
  #repeated(stream: StreamName, events: readonly NewEvent[], expected: ExpectedRevision): RecordedEvent | undefined {
    const first = expected === 'no-stream' ? 0 : expected + 1;
    const there = events.map(({ id }) => this.#stored.ids.get(id));
    const isRepeated = there.every((event, at) => event?.stream === stream && event.revision === first + at);
    return isRepeated ? there.at(-1) : undefined;
  }

  #appended(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal.addEventListener('abort', wake);
    });
  }

  #checkOpen(): void {
    if (this.#closed) throw new Unavailable('the event log is closed');
  }
}

/** The data of an event as a disk would return it, and frozen: code that changes a recorded event gets an error. */
const written = <E extends NewEvent>(event: E): E => ({ ...event, data: frozenJson(event.data), metadata: frozenJson(event.metadata) });

const frozenJson = <T>(value: T): T =>
  JSON.parse(JSON.stringify(value), (_, each: unknown) => (typeof each === 'object' && each !== null ? Object.freeze(each) : each)) as T;
