import type { Position } from './documents.ts';

/**
 * What this caller can see of an event. `open`: its data, decrypted. `withheld`: only that it exists; operators see events of scopes
 * that they may not read. `erased`: the key of its scope was destroyed. `unreadable`: this version of the program cannot read it.
 */
export type EventContent = 'open' | 'withheld' | 'erased' | 'unreadable';

/** Kinds of streams: the kind of thing that an event is about. */
export type EventCategory = 'document' | 'knowledge_base' | 'scope' | 'tenant' | 'retrieval';

/** An event on the log. Fields that identify something (stream, scope, ids, data) are missing if the content is withheld. */
export type EventView = Readonly<{
  position: Position;
  type: string;
  /** Schema version with which the data was written. */
  schemaVersion: number;
  category: EventCategory;
  stream?: string;
  /** Its number in its stream, from 0. */
  revision: number;
  recordedAt: string;
  /** The id of an API key (`key:…`) or the name of a worker. */
  actor: string;
  /** The same for all events caused by one request: its `x-request-id`. */
  correlationId: string;
  causationId?: string;
  /** Also missing for events that belong to the tenant as a whole. */
  scope?: string;
  documentId?: string;
  /** Size of the data on the log, in bytes. */
  bytes: number;
  content: EventContent;
  /**
   * Fields as in the list of events, except those that are encrypted on the log: `text` holds `{ text, contextPrefix, headings }`,
   * `vector` holds `{ dimensions, norm }`. The hash of an API key is left out.
   */
  data?: Readonly<Record<string, unknown>>;
}>;

/**
 * Newest first by default. One request examines a limited number of events, so a page may be short or empty and still have a
 * `next`. `head`: the end of the log when the page was read; following the log after `head` leaves no gap.
 */
export type EventPage = Readonly<{ events: readonly EventView[]; next?: string; head: Position }>;

/** Selects events. A filter on something that the caller may not read matches nothing. */
export type EventFilter = Readonly<{
  /** Events of one stream, by its name. */
  stream?: string | undefined;
  /** Events of any of these types. */
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
