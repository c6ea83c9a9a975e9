import { InvalidValue, Unavailable } from '@palimpsest/knowledge/errors';
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
import { position, START, type Position } from '@palimpsest/knowledge/values';
import { AppendChannel } from './append-channel.ts';
import { Appender, type AppendTimes } from './appender.ts';
import type { Connection } from './connection.ts';
import { checkName } from './encode-events.ts';
import type { FeedParts } from './feed.ts';
import { Follower } from './follower.ts';
import { HeadWatch } from './head-watch.ts';
import { LogHead } from './log-head.ts';
import { LogReader, type ReadTimes } from './log-reader.ts';
import type { Namespace } from './namespace.ts';
import { setMaxAge, setTruncateBefore, type MetadataOf } from './retention.ts';
import { asKnowledgeError } from './server-faults.ts';

export type EventStoreLogParts = Readonly<{
  connection: Connection;
  namespace: Namespace;
  appends: AppendTimes;
  reads: ReadTimes;
  onFault: FeedParts['onFault'];
}>;

export type EventStoreLogStats = Readonly<{
  /** Attempts of appends after the first one. */
  appendRetries: number;
  /** How often a connection was abandoned and replaced. */
  reconnects: number;
  followers: number;
}>;

const MAX_TYPES = 256;
const DEFAULT_BATCH = 512;
/** Maximum time to wait for the connection to close. */
const CLOSE_MS = 2000;

/** `EventLog` on EventStoreDB or KurrentDB. */
export class EventStoreLog implements EventLog {
  readonly #parts: EventStoreLogParts;
  readonly #namespace: Namespace;
  readonly #head: LogHead;
  readonly #reader: LogReader;
  readonly #channel: AppendChannel;
  readonly #appender: Appender;
  readonly #watch: HeadWatch;
  readonly #followers = new Set<Follower>();
  #closing: Promise<void> | undefined;

  constructor(parts: EventStoreLogParts) {
    this.#parts = parts;
    this.#namespace = parts.namespace;
    this.#reader = new LogReader(parts.connection, parts.namespace, parts.reads);
    this.#head = new LogHead(() => this.#reader.head(this.#namespace.typeRegex(undefined)));
    this.#channel = new AppendChannel(parts.connection);
    this.#appender = new Appender(parts.namespace, this.#channel, this.#head, parts.appends);
    this.#watch = new HeadWatch(parts.connection, this.#head);
  }

  get stats(): EventStoreLogStats {
    return { appendRetries: this.#appender.retries, reconnects: this.#parts.connection.reconnects, followers: this.#followers.size };
  }

  async append(stream: StreamName, events: readonly NewEvent[], expected: ExpectedRevision): Promise<AppendResult> {
    this.#checkOpen();
    return this.#appender.append(stream, events, expected);
  }

  async *readStream(stream: StreamName, options: ReadStreamOptions = {}): AsyncIterable<RecordedEvent> {
    this.#checkOpen();
    checkName('stream', stream);
    const { from, direction = 'forwards' } = options;
    if (from !== undefined) wholeNumber('from', from, 0);
    for await (const event of this.#reader.stream(this.#namespace.stream(stream), direction, from, limitOf(options.limit))) {
      this.#head.advance(event.position);
      yield event;
    }
  }

  async *readAll({ from, upTo, direction = 'forwards', limit, types }: ReadAllOptions = {}): AsyncIterable<RecordedEvent> {
    this.#checkOpen();
    const regex = this.#namespace.typeRegex(typesOf(types));
    const start = from === undefined ? undefined : position(from, 'from');
    const last = upToOf(upTo, direction);
    if (types?.length === 0 || last <= (start ?? START)) return;
    for await (const event of this.#reader.all(direction, start ?? (direction === 'forwards' ? START : 'end'), limitOf(limit), regex)) {
      if (event.position > last) return;
      yield event;
    }
  }

  async *follow({ after, types, signal, maxBatch = DEFAULT_BATCH }: FollowOptions): AsyncIterable<FollowBatch> {
    this.#checkOpen();
    const regex = this.#namespace.typeRegex(typesOf(types));
    const followed = {
      after: position(after, 'after'),
      regex,
      filtered: types !== undefined,
      maxBatch: wholeNumber('maxBatch', maxBatch, 1),
    };
    if (signal.aborted) return;
    const { connection, onFault } = this.#parts;
    const parts = { connection, onFault, namespace: this.#namespace, head: this.#head, watch: this.#watch, anyAfter: this.#anyAfter };
    const follower = new Follower(parts, followed);
    const stop = (): void => follower.stop();
    this.#followers.add(follower);
    signal.addEventListener('abort', stop, { once: true });
    try {
      for (let batch = await follower.next(); batch !== undefined && !signal.aborted; batch = await follower.next()) yield batch;
      if (!signal.aborted) this.#checkOpen();
    } finally {
      stop();
      signal.removeEventListener('abort', stop);
      this.#followers.delete(follower);
    }
  }

  readonly #anyAfter = async (after: Position, regex: string): Promise<boolean> => {
    for await (const _ of this.#reader.all('forwards', after, 1, regex)) return true;
    return false;
  };

  /** During an election the former leader may answer for some seconds. */
  readonly headMayLag = true;

  async head(): Promise<Position> {
    this.#checkOpen();
    const head = await this.#reader.head(this.#namespace.typeRegex(undefined));
    this.#head.advance(head);
    return head;
  }

  async setRetention(stream: StreamName, maxAgeSeconds: number | undefined): Promise<void> {
    this.#checkOpen();
    checkName('stream', stream);
    try {
      await setMaxAge(this.#metadataOf(stream), maxAgeSeconds);
    } catch (error) {
      throw asKnowledgeError(error, `setting the retention of ${stream}`);
    }
  }

  async truncate(stream: StreamName, before: number): Promise<void> {
    wholeNumber('before', before, 0);
    let last = -1;
    for await (const { revision } of this.readStream(stream, { direction: 'backwards', limit: 1 })) last = revision;
    const expected =
      last < 0 ? `a revision of a stream with events (${stream} has none)` : `at most ${last}, the last revision of ${stream}`;
    if (before > last) throw new InvalidValue('before', expected, before);
    if (before === 0) return;
    try {
      await setTruncateBefore(this.#metadataOf(stream), before);
    } catch (error) {
      throw asKnowledgeError(error, `truncating ${stream}`);
    }
  }

  #metadataOf(stream: StreamName): MetadataOf {
    const name = this.#namespace.stream(stream);
    return { stream: name, read: () => this.#reader.metadata(name), append: (request) => this.#appender.send(request) };
  }

  /** Reads the head. @throws Unavailable when the server does not answer */
  async reach(): Promise<void> {
    await this.#head.refresh();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    for (const follower of this.#followers) follower.stop();
    await this.#appender.idle();
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, CLOSE_MS);
    await Promise.race([promise, this.#channel.close().then(() => this.#parts.connection.close())]);
    clearTimeout(timer);
  }

  #checkOpen(): void {
    if (this.#closing !== undefined) throw new Unavailable('the event log is closed');
  }
}

const typesOf = (types: readonly string[] | undefined): readonly string[] | undefined => {
  const different = types && [...new Set(types)];
  if (different && different.length > MAX_TYPES) throw new InvalidValue('types', `at most ${MAX_TYPES} event types`, different.length);
  return different;
};

/** The last position to read; Infinity if there is no bound. @throws InvalidValue */
const upToOf = (upTo: Position | undefined, direction: 'forwards' | 'backwards'): Position | number => {
  if (upTo === undefined) return Infinity;
  if (direction === 'backwards') throw new InvalidValue('upTo', 'no upper bound when reading backwards', String(upTo));
  return position(upTo, 'upTo');
};

const limitOf = (limit: number | undefined): number => (limit === undefined ? Number.MAX_SAFE_INTEGER - 1 : wholeNumber('limit', limit, 0));

const wholeNumber = (field: string, value: number, min: number): number => {
  if (!Number.isSafeInteger(value) || value < min) throw new InvalidValue(field, `a whole number, ${min} or more`, value);
  return value;
};
