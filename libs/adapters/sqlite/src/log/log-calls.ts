/** Calls from the main thread to its workers. Plain values only: numbers for positions, strings for text, no buffers. */

/** One append, encoded for the writer thread; see `encodeAppend`. */
export type EncodedAppend = Readonly<{
  stream: string;
  /** The revision of the last event that the caller has seen, -1 for none. */
  expected: number;
  /** 32 lower-case hexadecimal digits each. */
  ids: readonly string[];
  /** Three lines per event: type, data, metadata. JSON text never holds a line break, so they need no escaping. */
  lines: string;
}>;

/** `actual` is -1 for a stream without events. */
export type AppendAnswer =
  | Readonly<{ outcome: 'appended'; revision: number; position: number; repeated: boolean }>
  | Readonly<{ outcome: 'conflict'; actual: number }>;

/** An event as it is stored in the file, with a verified checksum. `id`: 32 hexadecimal digits; `recordedAt`: Unix ms. */
export type StoredEvent = Readonly<{
  position: number;
  stream: string;
  revision: number;
  recordedAt: number;
  type: string;
  id: string;
  /** JSON text. */
  data: string;
  metadata: string;
}>;

/** `cursor` says where the read continues, exclusive: a position (whole log) or a revision (one stream). */
export type ChunkRequest = Readonly<{
  /** One stream, or the whole log. */
  stream?: string;
  types?: readonly string[];
  direction: 'forwards' | 'backwards';
  cursor: number;
  /** The maximum number of rows to read. */
  rows: number;
  /** Unix ms; events past their stream's retention at this time are skipped. */
  now: number;
}>;

/** `cursor`: everything up to it was read; `end`: there was nothing after it; `head`: the last position at the time of the read. */
export type Chunk = Readonly<{ events: readonly StoredEvent[]; cursor: number; end: boolean; head: number }>;

export type WriterCalls = {
  /** Takes the lock, opens or creates the file, and returns the head. */
  open: { request: Readonly<{ file: string }>; answer: number };
  /** One transaction. Returns one result per append, in order, once all of them are on disk. */
  append: { request: Readonly<{ appends: readonly EncodedAppend[]; now: number }>; answer: readonly AppendAnswer[] };
  setRetention: { request: Readonly<{ stream: string; maxAgeMs: number | null }>; answer: null };
  truncate: { request: Readonly<{ stream: string; before: number }>; answer: null };
  /** Removes some events past their retention. Returns their number, 0 when none is left. */
  removeExpired: { request: Readonly<{ now: number }>; answer: number };
  /** Removes some truncated events. Returns false when none is left. */
  removeTruncated: { request: null; answer: boolean };
  close: { request: null; answer: null };
};

export type ReaderCalls = {
  open: { request: Readonly<{ file: string }>; answer: null };
  read: { request: ChunkRequest; answer: Chunk };
  close: { request: null; answer: null };
};

/** Calls to a separate thread for the check: it reads the whole log and must not delay other reads. */
export type CheckCalls = {
  open: { request: Readonly<{ file: string }>; answer: null };
  check: { request: null; answer: readonly string[] };
  close: { request: null; answer: null };
};
