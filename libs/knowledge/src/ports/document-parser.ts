import type { DocumentKind } from '../values/chunking.ts';

/** Why a file could not be parsed. Users see a message for each reason. */
export const PARSE_FAILURES = ['password', 'corrupt', 'too-large', 'time-out', 'empty', 'unsupported'] as const;
export type ParseFailure = (typeof PARSE_FAILURES)[number];

export type ParseInput = Readonly<{
  bytes: Uint8Array;
  /** Given by the user. The extension is only a hint. */
  fileName?: string;
  /** Given by the user; only a hint. */
  mediaType?: string;
}>;

/** `level` 1-6; `start` and `end` delimit the heading's own line(s) in the text (UTF-16 offsets, end exclusive). */
export type Heading = Readonly<{ level: number; title: string; start: number; end: number }>;
/** A page (PDF), slide (PPTX) or chapter begins at `start`. 1-based `number`. */
export type Page = Readonly<{ number: number; start: number }>;
/** `rowStarts[i]` is the offset of data row i (0-based, below the header); `header` is the header line, repeated in each chunk. */
export type Sheet = Readonly<{ name: string; start: number; end: number; header: string; rowStarts: readonly number[] }>;

/**
 * A document as text. Rich formats (HTML, DOCX, PPTX, …) become Markdown. `kind` selects the chunker.
 * All offsets are UTF-16 code units into `text`, ascending.
 */
export type ParsedDocument = Readonly<{
  kind: DocumentKind;
  text: string;
  /** Detected media type. */
  mediaType: string;
  title?: string;
  /** ISO 639-1, or `und` if it cannot be detected. */
  language: string;
  /** Programming language, for code: `typescript`, `python`, … */
  codeLanguage?: string;
  headings: readonly Heading[];
  pages: readonly Page[];
  sheets: readonly Sheet[];
  /** Front matter and document properties, flattened to strings. */
  metadata: Readonly<Record<string, string>>;
  /** Messages for users about content that was lost or truncated. */
  warnings: readonly string[];
}>;

export type ParseOutcome =
  Readonly<{ outcome: 'parsed'; document: ParsedDocument }> | Readonly<{ outcome: 'rejected'; reason: ParseFailure; detail: string }>;

/**
 * Converts untrusted files to text. Promises, all checked by `describeDocumentParser`:
 * - parsing never crashes this process and never exceeds its time and memory limits: a parser that does is killed;
 * - the same bytes give the same document;
 * - a file that cannot be parsed is an outcome with a reason and a message for users, never an exception;
 * - `onSlow` is called at most once, as soon as a file takes longer than its size explains. Parsing continues with lower priority.
 */
export interface DocumentParser {
  parse(input: ParseInput, signal?: AbortSignal, onSlow?: () => void): Promise<ParseOutcome>;
  close(): Promise<void>;
}
