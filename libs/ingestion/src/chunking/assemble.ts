import type { ParsedDocument } from '@palimpsest/knowledge/ports';
import type { ChunkingVersion } from '@palimpsest/knowledge/values';
import type { ChunkDraft, Chunker } from './chunk-draft.ts';
import { lineFinder, pageFinder } from './document-places.ts';
import { pieceStart, skipBlanks, trimEnd } from './safe-offset.ts';

/** A span with the properties that its chunker assigns. */
export type Piece = Readonly<{ start: number; end: number; contextPrefix: string; headings: readonly string[]; symbol?: string }>;

/** A chunker from a generator that yields its pieces in order, each after little work. It yields `undefined` for a pause. */
export const chunkerOf = (version: ChunkingVersion, piecesOf: (document: ParsedDocument) => Iterable<Piece | undefined>): Chunker => {
  function* steps(document: ParsedDocument): Generator<undefined, readonly ChunkDraft[]> {
    const pieces: Piece[] = [];
    for (const piece of piecesOf(document)) {
      if (piece !== undefined) pieces.push(piece);
      yield;
    }
    return yield* assembled(document, pieces);
  }
  return {
    version,
    steps,
    chunk: (document) => {
      const work = steps(document);
      for (let step = work.next(); ; step = work.next()) if (step.done === true) return step.value;
    },
  };
};

/** Trims the pieces, drops blank ones, numbers the rest and finds their lines and pages. */
function* assembled(document: ParsedDocument, pieces: readonly Piece[]): Generator<undefined, readonly ChunkDraft[]> {
  const { text } = document;
  const lineAt = lineFinder(text);
  const pageAt = pageFinder(document);
  const trimmed = pieces
    .map((piece) => {
      const end = trimEnd(text, piece.start, piece.end);
      return { ...piece, start: pieceStart(text, piece.start, end), end };
    })
    .filter(({ start, end }) => end > start);
  const drafts: ChunkDraft[] = [];
  for (const [index, piece] of trimmed.entries()) {
    const { start, end } = piece;
    const firstCharacter = skipBlanks(text, start, end);
    const page = pageAt(firstCharacter);
    drafts.push({
      ...piece,
      index,
      of: trimmed.length,
      text: text.slice(start, end),
      lines: { from: lineAt(firstCharacter), to: lineAt(end - 1) },
      ...(page === undefined ? {} : { page }),
    });
    yield;
  }
  return drafts;
}
