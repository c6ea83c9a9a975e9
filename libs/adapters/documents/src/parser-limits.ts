const MB = 1_000_000;

/** Limits of one file. A file beyond a limit is rejected as `too-large`, or truncated with a warning where documented. */
export type ParserLimits = Readonly<{
  /** Size of the file itself. */
  maxBytes: number;
  /** Extracted text, in UTF-16 units. */
  maxTextChars: number;
  /** Pages, slides or chapters. */
  maxPages: number;
  /** Maximum number of headings; later ones are omitted with a warning. */
  maxHeadings: number;
  /** Rows × columns over all sheets. */
  maxCells: number;
  /** Maximum number of columns of a sheet; the others are omitted with a warning. */
  maxColumns: number;
  /** Entries in a zip container (DOCX, XLSX, EPUB, …). */
  maxZipEntries: number;
  /** Expanded size of a zip container, in bytes. */
  maxZipBytes: number;
  /** Maximum ratio of expanded to packed size of an XML part of at least 20 MB; real parts stay far below. */
  maxZipRatio: number;
  /** MIME parts of an e-mail. */
  maxMailParts: number;
  /** Maximum nesting depth of HTML; deeper pages lose their layout, with a warning. */
  maxNesting: number;
  /** Maximum number of elements of an HTML page; larger pages lose their layout, with a warning. */
  maxHtmlElements: number;
  /** Maximum length of HTML in UTF-16 units; longer pages lose their layout (tables, links), with a warning. */
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

/** The pool of parser processes. */
export type PoolOptions = Readonly<{
  /** Maximum number of parser processes; each is started when first needed. */
  processes: number;
  /** Additional processes for slow files; they run at low priority. */
  slowProcesses: number;
  /** Maximum wall-clock time for one file, milliseconds from the moment when a process starts with it. */
  timeoutMs: number;
  /** The same for a slow file, which only gets the CPU time that others leave over. */
  slowTimeoutMs: number;
  /** CPU time limit of a file, milliseconds: a base, plus an amount for each megabyte, up to a maximum. */
  computeMs: number;
  computeMsPerMb: number;
  computeMsAtMost: number;
  /** CPU time after which a file counts as slow, milliseconds: a base, plus an amount for each megabyte, up to a maximum. */
  quickMs: number;
  quickMsPerMb: number;
  quickMsAtMost: number;
  /**
   * Resident memory at which a parser process is killed, bytes. It is sampled every 50 ms, so a growing process may exceed it by some
   * 100-200 MB before it is killed. Two processes and a slow one: 1.65 GB in the worst case.
   */
  maxRssBytes: number;
  /** A process is replaced after this number of files. */
  filesPerProcess: number;
  /** Idle time after which a process is ended, milliseconds. */
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
