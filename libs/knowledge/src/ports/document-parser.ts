/** Why a file could not be turned into text; each is told to the user in words. */
export const PARSE_FAILURES = ['password', 'corrupt', 'too-large', 'time-out', 'empty', 'unsupported'] as const;
export type ParseFailure = (typeof PARSE_FAILURES)[number];

export type ParseInput = Readonly<{
  bytes: Uint8Array;
  /** As the user named it; its extension is a hint only. */
  fileName?: string;
  /** As the user declared it; a hint only. */
  mediaType?: string;
}>;

/** `level` 1-6; `start` and `end` delimit the heading's own line(s) in the text (UTF-16 offsets, end exclusive). */
export type Heading = Readonly<{ level: number; title: string; start: number; end: number }>;
/** A page (PDF), slide (PPTX) or chapter begins at `start`. 1-based `number`. */
export type Page = Readonly<{ number: number; start: number }>;
/** `rowStarts[i]` is the offset of data row i (0-based, below the header); `header` is the header line, repeated in each chunk. */
export type Sheet = Readonly<{ name: string; start: number; end: number; header: string; rowStarts: readonly number[] }>;

/**
 * A document as text. Everything rich (HTML, DOCX, PPTX, …) becomes Markdown; `kind` says how to cut it.
 * All offsets are UTF-16 code units into `text`, ascending.
 */
export type ParsedDocument = Readonly<{
  kind: 'markdown' | 'text' | 'code' | 'sheets';
  text: string;
  /** What the file really is. */
  mediaType: string;
  title?: string;
  /** ISO 639-1, or `und` when it cannot be told. */
  language: string;
  /** Programming language, for code: `typescript`, `python`, … */
  codeLanguage?: string;
  headings: readonly Heading[];
  pages: readonly Page[];
  sheets: readonly Sheet[];
  /** Front matter and document properties, flattened to strings. */
  metadata: Readonly<Record<string, string>>;
  /** What was lost or cut, in words. */
  warnings: readonly string[];
}>;

export type ParseOutcome =
  | Readonly<{ outcome: 'parsed'; document: ParsedDocument }>
  | Readonly<{ outcome: 'rejected'; reason: ParseFailure; detail: string }>;

/**
 * Files into text, none of which can be trusted. Promises, all checked by `describeDocumentParser`:
 * - parsing never takes this process down, nor more than the stated time and memory: a parser that hangs or swells is killed;
 * - the same bytes give the same document;
 * - a bad file is an outcome with a reason and a sentence for people, never an exception;
 * - `onSlow` is called at most once, as soon as the file takes longer than its size explains: it is read on, behind all others.
 */
export interface DocumentParser {
  parse(input: ParseInput, signal?: AbortSignal, onSlow?: () => void): Promise<ParseOutcome>;
  close(): Promise<void>;
}
