import type { ParsedDocument, Sheet } from '@palimpsest/knowledge/ports';
import { chunkingVersion } from '@palimpsest/knowledge/values';
import { chunkerOf, type Piece } from './assemble.ts';
import { proseStrength } from './boundary-strength.ts';
import type { Budget } from './budget.ts';
import type { Chunker } from './chunk-draft.ts';
import type { Span } from './cuts.ts';
import { breadcrumb, shortTitle } from './document-places.ts';
import { evenSplit } from './even-split.ts';
import type { Ruler } from './ruler.ts';
import { trimEnd } from './safe-offset.ts';

/** UTF-16 units; a sheet's header is repeated with every chunk, so it must stay small. */
const LONGEST_HEADER = 1_000;

/** Groups of rows, each with the prefix `Sheet "X", rows N–M of T` (1-based) and the header line. Only rows that are too long are split. */
export const sheetChunker = (budget: Budget): Chunker =>
  chunkerOf(chunkingVersion(`sheets@2/${budget.name}`), function* (document) {
    const ruler = yield* budget.measure(document.text);
    const between = budget.room(breadcrumb(document, []));
    let at = 0;
    for (const sheet of document.sheets) {
      yield* piecesBetween(document, { start: at, end: sheet.start }, ruler, between);
      yield* piecesOf(document.text, sheet, ruler, budget.room(longestPrefix(sheet)));
      at = sheet.end;
    }
    yield* piecesBetween(document, { start: at, end: document.text.length }, ruler, between);
  });

/** The text before, between and after the sheets. */
function* piecesBetween(document: ParsedDocument, span: Span, ruler: Ruler, max: number): Generator<Piece> {
  for (const piece of evenSplit(document.text, span, { max, ruler, strength: proseStrength }))
    yield { ...piece, headings: [], contextPrefix: breadcrumb(document, []) };
}

/** 1-based and inclusive; `from` 0 means the text above the rows. */
type Group = Span & Readonly<{ from: number; to: number }>;

function* piecesOf(text: string, sheet: Sheet, ruler: Ruler, max: number): Generator<Piece> {
  for (const group of groupsOf(text, sheet, ruler, max)) {
    const contextPrefix = prefixOf(sheet, group);
    for (const span of evenSplit(text, group, { max, ruler, strength: proseStrength }))
      yield { ...span, headings: [shortTitle(sheet.name)], contextPrefix };
  }
}

/** Joins as many rows as fit. The name and header of the sheet belong to the first group. */
function* groupsOf(text: string, { start, end, rowStarts }: Sheet, ruler: Ruler, max: number): Generator<Group> {
  let group: Group = { start, end: rowStarts[0] ?? end, from: 0, to: 0 };
  for (const [index, rowStart] of rowStarts.entries()) {
    const rowEnd = rowStarts[index + 1] ?? end;
    const row = index + 1;
    const contentEnd = trimEnd(text, rowStart, rowEnd);
    const isBlank = contentEnd === rowStart;
    if (isBlank || ruler.size(group.start, contentEnd) <= max) {
      group = { start: group.start, end: rowEnd, from: group.from || row, to: row };
    } else {
      yield group;
      group = { start: rowStart, end: rowEnd, from: row, to: row };
    }
  }
  yield group;
}

const longestPrefix = (sheet: Sheet): string => prefixOf(sheet, { from: sheet.rowStarts.length, to: sheet.rowStarts.length });

const prefixOf = ({ name, header, rowStarts }: Sheet, { from, to }: Pick<Group, 'from' | 'to'>): string => {
  const above = rowStarts.length === 0 ? 'no rows' : `above ${rowStarts.length} rows`;
  const rows = from === 0 ? above : `rows ${from}–${to} of ${rowStarts.length}`;
  const line = header.length <= LONGEST_HEADER ? header.trim() : `${header.slice(0, LONGEST_HEADER - 1).replace(/[\ud800-\udbff]$/, '')}…`;
  return `Sheet "${shortTitle(name)}", ${rows}${line === '' ? '' : `\n${line}`}`;
};
