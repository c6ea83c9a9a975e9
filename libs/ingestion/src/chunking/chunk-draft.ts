import type { ChunkingVersion, ParsedDocument } from '@palimpsest/knowledge';

/**
 * A piece of a document, before it has an id. `start` and `end` are UTF-16 offsets into the document's text, end exclusive,
 * and `text` is exactly what lies between them. `contextPrefix` places the piece ("Guide > Install > Linux"); it is embedded
 * and shown with the text, but counts neither as offsets nor towards the size limit. `lines` are 1-based and inclusive.
 */
export type ChunkDraft = Readonly<{
  /** 0-based, dense. */
  index: number;
  /** How many chunks the document has. */
  of: number;
  start: number;
  end: number;
  text: string;
  contextPrefix: string;
  lines: Readonly<{ from: number; to: number }>;
  /** The page (slide, chapter) on which the piece starts. */
  page?: number;
  /** Titles from the outermost heading down to the one that holds the whole piece; each at most 120 characters. */
  headings: readonly string[];
  /** For code: the symbol that the piece begins with or lies in. */
  symbol?: string;
}>;

/**
 * Cuts a document into pieces. Promises, all checked by `describeChunker` (in `test/chunker-kit.ts`):
 * - every non-blank character of the document lies in at least one piece, and no piece is blank;
 * - `text` is the document's text between the offsets; starts and ends both ascend; no surrogate pair is cut;
 * - no piece is larger than the settings allow: what has no place to break at is cut hard;
 * - the same document gives the same pieces, in time near linear in its length, whatever it holds.
 */
export interface Chunker {
  readonly version: ChunkingVersion;
  chunk(document: ParsedDocument): readonly ChunkDraft[];
  /** The same with a pause after each piece, for `inTurns`: a large document takes a while. */
  steps(document: ParsedDocument): Generator<undefined, readonly ChunkDraft[]>;
}
