/**
 * A number that the owner of a knowledge base may set. `ofSize`: it may be at most this share of the chunk's size, which must then be set
 * as well; `words` completes "expected …".
 */
export type ChunkingNumber = Readonly<{ min: number; max?: number; ofSize?: Readonly<{ share: number; words: string }> }>;

const QUARTER = { share: 0.25, words: 'at most a quarter of the chunk size' };
/** UTF-16 units of a chunk's text, without its prefix. */
const maxChars = { min: 200, max: 16_000 };

/**
 * The chunkers: the kind of document that each of them splits, and the numbers that can be set. The checks of requests, the wire format
 * and the types follow from this table. Omitted numbers follow from the embedding model: a chunk with its headings then fills one window of
 * the model (256 word pieces for the built-in one), at most 400 tokens. A chunk that is larger because of its settings gets several vectors.
 */
export const CHUNKERS = {
  /** Sections under their headings. */
  markdown: { kind: 'markdown', settings: { maxChars } },
  /** Plain text and PDF, in tokens of the embedding model. */
  tokens: {
    kind: 'text',
    settings: {
      maxTokens: { min: 32, max: 8_000 },
      overlap: { min: 0, ofSize: QUARTER },
      minTokens: { min: 0, ofSize: { share: 0.4, words: 'at most two fifths of maxTokens' } },
    },
  },
  /** Rows of a sheet, joined up to `maxChars`. */
  sheets: { kind: 'sheets', settings: { maxChars } },
  /** Sliding window over code, UTF-16 units. */
  code: { kind: 'code', settings: { maxChars, overlap: { min: 0, ofSize: QUARTER } } },
} as const satisfies Readonly<Record<string, Readonly<{ kind: string; settings: Readonly<Record<string, ChunkingNumber>> }>>>;

export type ChunkerName = keyof typeof CHUNKERS;

/** Selects the chunker of a document. */
export type DocumentKind = (typeof CHUNKERS)[ChunkerName]['kind'];

/** How documents of a knowledge base are chunked. A missing part or number: its default. */
export type ChunkingSettings = Readonly<{
  [Name in ChunkerName]?: Readonly<{ [Setting in keyof (typeof CHUNKERS)[Name]['settings']]?: number }>;
}>;
