import type { Position } from './documents.ts';

/**
 * What an event lets this caller see of it. `open`: its data, unsealed. `withheld`: only that it is there, for an operator, who
 * reads nothing by itself. `erased`: the key of its scope was destroyed. `unreadable`: it is not what this program knows.
 */
export type EventContent = 'open' | 'withheld' | 'erased' | 'unreadable';

/** Kinds of streams: what an event is about, without which. */
export type EventCategory = 'document' | 'knowledge_base' | 'scope' | 'tenant' | 'retrieval';

/** An event as it lies on the log. What names a thing (stream, scope, ids, data) is missing where the content is withheld. */
export type EventView = Readonly<{
  position: Position;
  type: string;
  /** Version of the data's form, as it was written. */
  schemaVersion: number;
  category: EventCategory;
  stream?: string;
  /** Its place in its stream, from 0. */
  revision: number;
  recordedAt: string;
  /** A key's id (`key:…`) or the name of a worker. */
  actor: string;
  /** One for everything that a request led to: its `x-request-id`. */
  correlationId: string;
  causationId?: string;
  /** Missing also of what belongs to the tenant as a whole. */
  scope?: string;
  documentId?: string;
  /** Size of the data on the log, in bytes. */
  bytes: number;
  content: EventContent;
  /**
   * Fields as in the list of events, but for what is sealed there: `text` holds `{ text, contextPrefix, headings }`, `vector`
   * holds `{ dimensions, norm }`. The hash of an API key is left out.
   */
  data?: Readonly<Record<string, unknown>>;
}>;

/**
 * Newest first unless told otherwise. A page may be short, or empty, and have a `next` all the same: a request looks at so many
 * events only. `head`: the end of the log when it was read; following after it leaves no gap.
 */
export type EventPage = Readonly<{ events: readonly EventView[]; next?: string; head: Position }>;

/** Which events. Filters that name a thing find only what the caller may read. */
export type EventFilter = Readonly<{
  /** One stream, by its name. */
  stream?: string | undefined;
  /** Any of these types. */
  types?: readonly string[] | undefined;
  document?: string | undefined;
  knowledgeBase?: string | undefined;
  scope?: string | undefined;
}>;

export type EventQuery = EventFilter &
  Readonly<{
    /** Default `backwards`: newest first. */
    direction?: 'forwards' | 'backwards' | undefined;
    /** From 1 to 200, default 50. */
    limit?: number | undefined;
    cursor?: string | undefined;
  }>;
