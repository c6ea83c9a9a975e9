import type { ParsedDocument } from '@palimpsest/knowledge/ports';
import type { ChunkingVersion } from '@palimpsest/knowledge/values';

/**
 * A chunk of a document, before it has an id. `start` and `end` are UTF-16 offsets into the document's text, end exclusive,
 * and `text` is exactly the text between them. `contextPrefix` says where the chunk is ("Guide > Install > Linux"). It is embedded
 * and shown with the text, but is not included in the offsets or the size limit. `lines` are 1-based and inclusive.
 */
export type ChunkDraft = Readonly<{
  /** 0-based, dense. */
  index: number;
  /** Number of chunks in the document. */
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
  /** For code: the symbol that the piece begins with or belongs to. */
  symbol?: string;
}>;

/**
 * Splits a document into chunks. Guarantees, all checked by `describeChunker` (in `test/chunker-kit.ts`):
 * - every non-blank character of the document is in at least one chunk, and no chunk is blank;
 * - `text` is the document's text between the offsets; starts and ends both ascend; no surrogate pair is split;
 * - no chunk is larger than the settings allow: text without a boundary is split anywhere;
 * - the same document always gives the same chunks, in time nearly linear in its length, whatever its contents.
 */
export interface Chunker {
  readonly version: ChunkingVersion;
  chunk(document: ParsedDocument): readonly ChunkDraft[];
  /** The same with a pause after each chunk, for `runCooperatively`: a large document takes a while. */
  steps(document: ParsedDocument): Generator<undefined, readonly ChunkDraft[]>;
}
