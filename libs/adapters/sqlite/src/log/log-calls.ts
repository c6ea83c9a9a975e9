/** What the main thread asks of the two workers. Plain values only: numbers for positions, strings for text, no buffers. */

/** One append, encoded for its way to the writer; see `encodeAppend`. */
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

/** An event as it lies in the file, its checksum verified. `id`: 32 hexadecimal digits; `recordedAt`: Unix ms. */
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

/** Where a read goes on: `cursor` is exclusive, a position (whole log) or a revision (one stream). */
export type ChunkRequest = Readonly<{
  /** One stream, or the whole log. */
  stream?: string;
  types?: readonly string[];
  direction: 'forwards' | 'backwards';
  cursor: number;
  /** Most rows to look at. */
  rows: number;
  /** Unix ms; events past their stream's retention at this time are left out. */
  now: number;
}>;

/** `cursor`: everything up to it was looked at; `end`: nothing lay beyond it; `head`: last position when this was read. */
export type Chunk = Readonly<{ events: readonly StoredEvent[]; cursor: number; end: boolean; head: number }>;

export type WriterCalls = {
  /** Takes the lock, opens or makes the file; answers the head. */
  open: { request: Readonly<{ file: string }>; answer: number };
  /** One transaction; one answer per append, in order, once all is on disk. */
  append: { request: Readonly<{ appends: readonly EncodedAppend[]; now: number }>; answer: readonly AppendAnswer[] };
  setRetention: { request: Readonly<{ stream: string; maxAgeMs: number | null }>; answer: null };
  /** Removes some events past their retention; answers how many, 0 when none is left. */
  removeExpired: { request: Readonly<{ now: number }>; answer: number };
  close: { request: null; answer: null };
};

export type ReaderCalls = {
  open: { request: Readonly<{ file: string }>; answer: null };
  read: { request: ChunkRequest; answer: Chunk };
  close: { request: null; answer: null };
};

/** Asked of a thread of its own: it reads everything, and nobody waits for it. */
export type CheckCalls = {
  open: { request: Readonly<{ file: string }>; answer: null };
  check: { request: null; answer: readonly string[] };
  close: { request: null; answer: null };
};
