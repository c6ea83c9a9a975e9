const MB = 1_000_000;

/** What one file may cost. Everything past a limit is rejected as `too-large`, or cut with a warning where said so. */
export type ParserLimits = Readonly<{
  /** Size of the file itself. */
  maxBytes: number;
  /** Extracted text, in UTF-16 units. */
  maxTextChars: number;
  /** Pages, slides or chapters. */
  maxPages: number;
  /** Headings kept; later ones are left out with a warning. */
  maxHeadings: number;
  /** Rows × columns over all sheets. */
  maxCells: number;
  /** Columns kept of a sheet; those to the right are left out with a warning. */
  maxColumns: number;
  /** Entries in a zip container (DOCX, XLSX, EPUB, …). */
  maxZipEntries: number;
  /** Expanded size of a zip container, in bytes. */
  maxZipBytes: number;
  /** Expanded over packed size of one XML part of at least 20 MB; real parts stay far below. */
  maxZipRatio: number;
  /** MIME parts of an e-mail. */
  maxMailParts: number;
  /** Open elements in HTML; deeper pages lose their layout, with a warning. */
  maxNesting: number;
  /** Elements of an HTML page; pages of more lose their layout, with a warning. */
  maxHtmlElements: number;
  /** HTML of more UTF-16 units loses its layout (tables, links), with a warning. */
  maxRichHtmlChars: number;
}>;

export const DEFAULT_LIMITS: ParserLimits = {
  maxBytes: 50 * MB,
  maxTextChars: 20_000_000,
  maxPages: 5_000,
  maxHeadings: 20_000,
  maxCells: 2_000_000,
  maxColumns: 500,
  maxZipEntries: 10_000,
  maxZipBytes: 500 * MB,
  maxZipRatio: 200,
  maxMailParts: 1_000,
  maxNesting: 200,
  maxHtmlElements: 60_000,
  maxRichHtmlChars: 4 * MB,
};

/** The pool of parsing processes. */
export type PoolOptions = Readonly<{
  /** Parsing processes at most; each is started when first needed. */
  processes: number;
  /** Processes beyond these for files that take long; they run at low priority. */
  slowProcesses: number;
  /** Longest time for one file, milliseconds of wall clock from the moment a process takes it. */
  timeoutMs: number;
  /** The same for one that takes long, and gets only what the others leave over. */
  slowTimeoutMs: number;
  /** What a file may compute, milliseconds: so much, and so much more for each megabyte of it, up to a most. */
  computeMs: number;
  computeMsPerMb: number;
  computeMsAtMost: number;
  /** What a file may compute before it counts as one that takes long, milliseconds: so much and so much more for each megabyte. */
  quickMs: number;
  quickMsPerMb: number;
  quickMsAtMost: number;
  /**
   * Resident memory at which a parsing process is killed, bytes. It is sampled every 50 ms, so a swelling process may pass
   * it by some 100-200 MB before it dies. Two processes and a slow one: 1.65 GB at the very worst.
   */
  maxRssBytes: number;
  /** A process is replaced after so many files. */
  filesPerProcess: number;
  /** A process that has had nothing to do for so long is ended, milliseconds. */
  idleMs: number;
}>;

export const DEFAULT_POOL: PoolOptions = {
  processes: 2,
  slowProcesses: 1,
  timeoutMs: 60_000,
  slowTimeoutMs: 300_000,
  computeMs: 10_000,
  computeMsPerMb: 5_000,
  computeMsAtMost: 60_000,
  quickMs: 800,
  quickMsPerMb: 1_500,
  quickMsAtMost: 3_000,
  maxRssBytes: 550 * MB,
  filesPerProcess: 200,
  idleMs: 60_000,
};
