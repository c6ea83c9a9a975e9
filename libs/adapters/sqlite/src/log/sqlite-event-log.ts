import { Mutex } from '@palimpsest/foundation';
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
import { laterOf, position, type Position } from '@palimpsest/knowledge/values';
import { AppendQueue } from './append-queue.ts';
import { decodeEvents } from './decode-events.ts';
import { checkName, encodeAppend } from './encode-append.ts';
import type { AppendAnswer, CheckCalls, Chunk, ChunkRequest, EncodedAppend, ReaderCalls, WriterCalls } from './log-calls.ts';
import { LogHead } from './log-head.ts';
import { allScan, batchSize, positionNumber, streamScan, typesOf, type Scan } from './log-scan.ts';
import type { WorkerChannel } from './worker-channel.ts';

export type SqliteEventLogParts = Readonly<{
  writer: WorkerChannel<WriterCalls>;
  reader: WorkerChannel<ReaderCalls>;
  /** Creates a thread for one check. */
  checker: () => WorkerChannel<CheckCalls>;
  head: Position;
  /** Unix ms. */
  now: () => number;
  /** How often events past their retention, and truncated ones that are left, are removed. */
  sweepEveryMs: number;
}>;

/** `EventLog` on one SQLite file. SQLite runs in two threads: one writes, one reads. */
export class SqliteEventLog implements EventLog {
  readonly #parts: SqliteEventLogParts;
  readonly #queue: AppendQueue;
  readonly #head = new LogHead();
  readonly #sweep: NodeJS.Timeout;
  readonly #encoding = new Mutex();
  readonly #reading = new Mutex();
  #closing: Promise<void> | undefined;

  constructor(parts: SqliteEventLogParts) {
    this.#parts = parts;
    this.#head.advance(parts.head);
    this.#queue = new AppendQueue((appends) => this.#flush(appends));
    // The next sweep retries after a failure. A lasting fault is reported to the next append.
    this.#sweep = setInterval(() => void this.#removeAll().catch(() => undefined), parts.sweepEveryMs).unref();
    // Of a process that was killed.
    void this.#removeTruncated().catch(() => undefined);
  }

  async append(stream: StreamName, events: readonly NewEvent[], expected: ExpectedRevision): Promise<AppendResult> {
    this.#checkOpen();
    // Encodes sequentially, so that appends are executed in the order of the calls. The next encoding does not wait for the write.
    const { written } = await this.#encoding.run(async () => ({ written: this.#queue.add(await encodeAppend(stream, events, expected)) }));
    return resultOf(await written);
  }

  async #flush(appends: readonly EncodedAppend[]): Promise<readonly AppendAnswer[]> {
    const answers = await this.#parts.writer.call('append', { appends, now: this.#parts.now() });
    const last = Math.max(0, ...answers.map((answer) => (answer.outcome === 'appended' ? answer.position : 0)));
    this.#head.advance(position(BigInt(last)));
    return answers;
  }

  readStream(stream: StreamName, options: ReadStreamOptions = {}): AsyncIterable<RecordedEvent> {
    return this.#scan(() => streamScan(stream, options));
  }

  readAll(options: ReadAllOptions = {}): AsyncIterable<RecordedEvent> {
    return this.#scan(() => allScan(options));
  }

  async *#scan(what: () => Scan): AsyncIterable<RecordedEvent> {
    const scan = what();
    let { cursor, limit } = scan;
    const { upTo } = scan;
    const last = upTo === undefined ? Infinity : positionNumber(upTo);
    const read = (): Promise<Chunk> => this.#read({ ...scan.request, cursor, rows: Math.min(limit, scan.request.rows) });
    let next: Promise<Chunk> | undefined;
    for (let chunks = 1; limit > 0 && cursor < last; chunks++) {
      const chunk = await (next ?? read());
      cursor = chunk.cursor;
      limit -= chunk.events.length;
      // A caller that reads a second chunk reads on: the next one is read while this one is used.
      next = chunks > 1 && !chunk.end && limit > 0 && cursor < last ? read() : undefined;
      next?.catch(() => undefined); // reported when this chunk is awaited, if it is
      for (const event of await decodeEvents(chunk.events)) {
        if (event.position > last) return;
        yield event;
      }
      if (chunk.end) return;
    }
  }

  async *follow({ after, types, signal, maxBatch }: FollowOptions): AsyncIterable<FollowBatch> {
    const request = { ...typesOf(types), direction: 'forwards', rows: batchSize(maxBatch) } as const;
    let upTo = position(after, 'after');
    let next: Promise<FollowBatch> | undefined = this.#readBatch(request, upTo);
    while (!signal.aborted) {
      if (next === undefined) await this.#head.movedPast(upTo, signal);
      const batch: FollowBatch | undefined = await (next ?? this.#readBatch(request, upTo)).catch((error: unknown) => {
        if (!signal.aborted) throw error; // a log may be closed right after its followers were aborted
        return undefined;
      });
      if (batch === undefined || signal.aborted) return;
      upTo = batch.upTo;
      // Read the next batch while the follower processes this one, so that a rebuild waits for neither.
      next = batch.caughtUp ? undefined : this.#readBatch(request, upTo);
      next?.catch(() => undefined); // reported when this batch is awaited, if it is
      yield batch;
    }
  }

  async #readBatch(request: Scan['request'], after: Position): Promise<FollowBatch> {
    const chunk = await this.#read({ ...request, cursor: positionNumber(after) });
    const events = await decodeEvents(chunk.events);
    const head = position(BigInt(chunk.head));
    const upTo = laterOf(after, chunk.end ? head : position(BigInt(chunk.cursor)));
    return { events, upTo, caughtUp: upTo >= head };
  }

  async #read(request: Omit<ChunkRequest, 'now'>): Promise<Chunk> {
    this.#checkOpen();
    // One chunk at a time: several chunks arriving together would block the event loop.
    const chunk = await this.#reading.run(() => this.#parts.reader.call('read', { ...request, now: this.#parts.now() }));
    this.#head.advance(position(BigInt(chunk.head)));
    return chunk;
  }

  async head(): Promise<Position> {
    this.#checkOpen();
    return this.#head.position;
  }

  async setRetention(stream: StreamName, maxAgeSeconds: number | undefined): Promise<void> {
    this.#checkOpen();
    checkName('stream', stream);
    const valid = maxAgeSeconds === undefined || (Number.isSafeInteger(maxAgeSeconds * 1000) && maxAgeSeconds > 0);
    if (!valid)
      throw new InvalidValue('maxAgeSeconds', 'a number of seconds above 0 with at most three decimals, or nothing', maxAgeSeconds);
    await this.#parts.writer.call('setRetention', { stream, maxAgeMs: maxAgeSeconds === undefined ? null : maxAgeSeconds * 1000 });
  }

  async truncate(stream: StreamName, before: number): Promise<void> {
    this.#checkOpen();
    checkName('stream', stream);
    if (!Number.isSafeInteger(before) || before < 0) throw new InvalidValue('before', 'a revision: a whole number, 0 or more', before);
    await this.#parts.writer.call('truncate', { stream, before });
    await this.#removeTruncated();
  }

  async check(): Promise<readonly string[]> {
    this.#checkOpen();
    const checker = this.#parts.checker();
    try {
      return await checker.call('check', null);
    } finally {
      await checker.close();
    }
  }

  /** Removes all events past their retention from the file, as happens every minute anyway. Returns their number. */
  async removeExpired(): Promise<number> {
    this.#checkOpen();
    for (let total = 0; ;) {
      const removed = await this.#parts.writer.call('removeExpired', { now: this.#parts.now() });
      total += removed;
      if (removed === 0 || this.#closing !== undefined) return total;
    }
  }

  async #removeTruncated(): Promise<void> {
    while (await this.#parts.writer.call('removeTruncated', null)) if (this.#closing !== undefined) return;
  }

  async #removeAll(): Promise<void> {
    await this.#removeTruncated();
    await this.removeExpired();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    clearInterval(this.#sweep);
    this.#head.wakeAll();
    await this.#encoding.idle();
    await this.#queue.idle();
    await this.#parts.reader.close();
    await this.#parts.writer.close();
  }

  #checkOpen(): void {
    if (this.#closing !== undefined) throw new Unavailable('the event log is closed');
  }
}

const resultOf = (answer: AppendAnswer): AppendResult =>
  answer.outcome === 'appended'
    ? { ...answer, position: position(BigInt(answer.position)) }
    : { outcome: 'conflict', actual: answer.actual === -1 ? 'no-stream' : answer.actual };
