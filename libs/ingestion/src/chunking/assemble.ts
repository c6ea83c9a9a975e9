import type { ParsedDocument } from '@palimpsest/knowledge';
import type { ChunkDraft } from './chunk-draft.ts';
import { lineFinder, pageFinder } from './document-places.ts';
import { pieceStart, skipBlanks, trimEnd } from './safe-offset.ts';

/** A span with what its chunker knows about it. */
export type Piece = Readonly<{ start: number; end: number; contextPrefix: string; headings: readonly string[]; symbol?: string }>;

/** Trims the pieces, drops blank ones, numbers the rest and finds their lines and pages. */
export const assemble = (document: ParsedDocument, pieces: readonly Piece[]): readonly ChunkDraft[] => {
  const { text } = document;
  const lineAt = lineFinder(text);
  const pageAt = pageFinder(document);
  const trimmed = pieces
    .map((piece) => {
      const end = trimEnd(text, piece.start, piece.end);
      return { ...piece, start: pieceStart(text, piece.start, end), end };
    })
    .filter(({ start, end }) => end > start);
  return trimmed.map((piece, index) => {
    const { start, end } = piece;
    const firstCharacter = skipBlanks(text, start, end);
    const page = pageAt(firstCharacter);
    return {
      ...piece,
      index,
      of: trimmed.length,
      text: text.slice(start, end),
      lines: { from: lineAt(firstCharacter), to: lineAt(end - 1) },
      ...(page === undefined ? {} : { page }),
    };
  });
};
