import type { Branded } from '../values/brand.ts';
import type { Position } from '../values/position.ts';

/** `<category>-<tenant>-<id>`; made only by `streamName`, which guarantees that names are unique. */
export type StreamName = Branded<string, 'StreamName'>;

/**
 * Percent-encodes each part, including "-", so that different parts never give the same name:
 * tenant `a-b` with id `c` and tenant `a` with id `b-c` are different streams.
 */
export const streamName = (category: string, ...parts: readonly string[]): StreamName =>
  [category, ...parts.map((part) => encodeURIComponent(part).replaceAll('-', '%2D').replaceAll('%3A', ':'))].join('-') as StreamName;

/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

/** An event to append. `id` is a UUID that makes repeated appends of the same events idempotent. */
export type NewEvent = Readonly<{ id: string; type: string; data: JsonObject; metadata: JsonObject }>;

/** An event read from the log, with its place (`stream`, 0-based `revision`, `position`) and the time of recording (ISO 8601, UTC). */
export type RecordedEvent = NewEvent & Readonly<{ stream: StreamName; revision: number; position: Position; recordedAt: string }>;

/** The revision of the last event that the caller has seen, or `no-stream`. There is no "any". */
export type ExpectedRevision = number | 'no-stream';

export type AppendResult =
  /** `revision` and `position` of the last event; `repeated`: exactly these events had already been appended. */
  | Readonly<{ outcome: 'appended'; revision: number; position: Position; repeated: boolean }>
  /** Nothing was written; `actual` is the stream's last revision. */
  | Readonly<{ outcome: 'conflict'; actual: ExpectedRevision }>;

export type ReadStreamOptions = Readonly<{
  /** First revision to return, inclusive; default the first (forwards) or the last (backwards). */
  from?: number;
  direction?: 'forwards' | 'backwards';
  limit?: number;
}>;

export type ReadAllOptions = Readonly<{
  /** Exclusive: events after it (forwards; default START) or before it (backwards; default the end). */
  from?: Position;
  /** Inclusive, forwards only: events up to it; default the end. */
  upTo?: Position;
  direction?: 'forwards' | 'backwards';
  limit?: number;
  /** Only these event types. */
  types?: readonly string[];
}>;

export type FollowOptions = Readonly<{
  /** Exclusive. */
  after: Position;
  types?: readonly string[];
  /** Ends the iteration (without an error). */
  signal: AbortSignal;
  /** Maximum events in one batch; default 512. */
  maxBatch?: number;
}>;

/**
 * A batch of `follow`: the next matching events in order, possibly none. All events up to `upTo`, matching or not, have been delivered,
 * so it can be stored as a checkpoint after `events` are processed. `caughtUp`: the log had no newer event when the batch was read.
 */
export type FollowBatch = Readonly<{ events: readonly RecordedEvent[]; upTo: Position; caughtUp: boolean }>;

/**
 * Append-only log of events; the only source of truth. Promises, all checked by `describeEventLog`:
 * - the events of one append are recorded together, in order, with consecutive revisions, or not at all;
 * - `append` returns `appended` only after the events are on disk; concurrent appends may share one flush;
 * - an unexpected revision returns `conflict`; it does not throw;
 * - an append whose ids were all recorded before, in this order, at the expected revision, returns `appended` with the
 *   original revision and position (`repeated`), even after a restart; a partial overlap is a `conflict`;
 * - positions increase with every event; an event never appears at or below a position that a reader has already passed;
 * - `follow` changes from old to live events without gaps or duplicates; it applies backpressure: the next batch is read
 *   only when the consumer requests it;
 * - `readStream` does not return events older than the retention of the stream; `readAll` and `follow` omit them at the latest
 *   when the log has removed them; revisions and positions of the other events do not change;
 * - the same holds for events that `truncate` removes, also when the process is killed while it removes them;
 * - events are limited to 1 MiB (UTF-8 JSON of data and metadata) per append: a larger append, or one without events,
 *   throws InvalidValue.
 */
export interface EventLog {
  append(stream: StreamName, events: readonly NewEvent[], expected: ExpectedRevision): Promise<AppendResult>;
  /** Yields nothing for a stream that does not exist. */
  readStream(stream: StreamName, options?: ReadStreamOptions): AsyncIterable<RecordedEvent>;
  readAll(options?: ReadAllOptions): AsyncIterable<RecordedEvent>;
  follow(options: FollowOptions): AsyncIterable<FollowBatch>;
  /** Position of the last event, START when the log is empty. */
  head(): Promise<Position>;
  /** True if `head` may be behind acknowledged positions while a cluster changes its leader. */
  readonly headMayLag?: boolean;
  /** Removes events of `stream` that are older than `maxAgeSeconds`; `undefined` removes the limit. */
  setRetention(stream: StreamName, maxAgeSeconds: number | undefined): Promise<void>;
  /**
   * Removes the events of `stream` with a lower revision than `before`, for good: no later call brings them back. The last event of a
   * stream always stays. Events that were removed no longer make an append with their ids a repeated one.
   * @throws InvalidValue if `before` is above the last revision
   */
  truncate(stream: StreamName, before: number): Promise<void>;
  /**
   * Reads all files and returns one message for each damage. Not implemented by logs that are servers: they check their own files.
   */
  check?(): Promise<readonly string[]>;
  /** Waits for appends in progress, then closes the log. */
  close(): Promise<void>;
}

export const MAX_APPEND_BYTES = 1024 * 1024;
