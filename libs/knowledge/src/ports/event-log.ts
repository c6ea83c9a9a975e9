import type { Branded } from '../values/brand.ts';
import type { Position } from '../values/position.ts';

/** `<category>-<tenant>-<id>`; made only by `streamName`, so that no two things ever share a stream. */
export type StreamName = Branded<string, 'StreamName'>;

/**
 * Each part is percent-encoded, "-" too, so that parts cannot run into each other:
 * tenant `a-b` with id `c` and tenant `a` with id `b-c` are different streams.
 */
export const streamName = (category: string, ...parts: readonly string[]): StreamName =>
  [category, ...parts.map((part) => encodeURIComponent(part).replaceAll('-', '%2D').replaceAll('%3A', ':'))].join('-') as StreamName;

/** Anything that JSON can say. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

/** A fact as it goes onto the log. `id` is a UUID and makes a repeated append of the same events idempotent. */
export type NewEvent = Readonly<{ id: string; type: string; data: JsonObject; metadata: JsonObject }>;

/** A fact as it came back: where it lies (`stream`, 0-based `revision`, `position`) and when it was recorded (ISO 8601, UTC). */
export type RecordedEvent = NewEvent & Readonly<{ stream: StreamName; revision: number; position: Position; recordedAt: string }>;

/** The revision of the last event that the caller has seen, or `no-stream`. There is no "any". */
export type ExpectedRevision = number | 'no-stream';

export type AppendResult =
  /** `revision` and `position` of the last event; `repeated` when exactly these events were there already. */
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
  /** Most events in one batch, default 512. */
  maxBatch?: number;
}>;

/**
 * What `follow` yields: the next matching events in order, possibly none, and `upTo`: every event up to it (matching or
 * not) has been delivered, so it may be stored as a checkpoint once `events` are handled. `caughtUp`: nothing newer was
 * on the log when this batch was read.
 */
export type FollowBatch = Readonly<{ events: readonly RecordedEvent[]; upTo: Position; caughtUp: boolean }>;

/**
 * Append-only record of facts; the only source of truth. Promises, all checked by `describeEventLog`:
 * - the events of one append are recorded together, in order, with consecutive revisions, or not at all;
 * - `appended` is answered only after the events are on disk; concurrent appends may share one flush;
 * - an unexpected revision answers `conflict`; it does not throw;
 * - an append whose ids were all recorded before, in this order, at the expected place, answers `appended` with the
 *   original revision and position (`repeated`), also after a restart; a partial overlap is a `conflict`;
 * - positions grow with every event; a reader at position p never later meets an event at or below p that it has not seen;
 * - `follow` goes over from old to live events without a gap or a double; it applies backpressure: the next batch is read
 *   when the consumer asks for it;
 * - events past a stream's retention are not returned by `readStream`; `readAll` and `follow` leave them out at the latest
 *   once the log has removed them; revisions and positions of the others stay what they were;
 * - events are limited to 1 MiB (UTF-8 JSON of data and metadata) per append: more is refused with InvalidValue, as is an
 *   append of no events.
 */
export interface EventLog {
  append(stream: StreamName, events: readonly NewEvent[], expected: ExpectedRevision): Promise<AppendResult>;
  /** Yields nothing for a stream that does not exist. */
  readStream(stream: StreamName, options?: ReadStreamOptions): AsyncIterable<RecordedEvent>;
  readAll(options?: ReadAllOptions): AsyncIterable<RecordedEvent>;
  follow(options: FollowOptions): AsyncIterable<FollowBatch>;
  /** Position of the last event, START when the log is empty. */
  head(): Promise<Position>;
  /** While a cluster changes its leader, `head` may be behind positions that were acknowledged. Left out where it never is. */
  readonly headMayLag?: boolean;
  /** Events of `stream` older than `maxAgeSeconds` disappear; `undefined` lifts the limit. */
  setRetention(stream: StreamName, maxAgeSeconds: number | undefined): Promise<void>;
  /**
   * Reads everything that lies on disk, and tells what of it is damaged, one sentence each. Missing where the log is a server,
   * which checks its own files.
   */
  check?(): Promise<readonly string[]>;
  /** Waits for appends under way, then lets go of the log. */
  close(): Promise<void>;
}

export const MAX_APPEND_BYTES = 1024 * 1024;
