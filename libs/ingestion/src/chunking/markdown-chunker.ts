import { chunkingVersion, type ParsedDocument } from '@palimpsest/knowledge';
import { chunkerOf, type Piece } from './assemble.ts';
import { proseStrength } from './boundary-strength.ts';
import type { Chunker } from './chunk-draft.ts';
import type { ChunkingSettings } from './chunking-settings.ts';
import { spanAround } from './cuts.ts';
import { breadcrumb, titlesOf } from './document-places.ts';
import { evenSplit } from './even-split.ts';
import { blocksOf, type Block } from './markdown-blocks.ts';
import { joinedSections, sectionsOf, type Section } from './sections.ts';

/** A chunk per section, under the path of its headings; larger sections are split, tiny ones joined. */
export const markdownChunker = ({ maxChars }: ChunkingSettings['markdown']): Chunker =>
  chunkerOf(chunkingVersion(`markdown@1/${maxChars}`), function* (document) {
    for (const section of joinedSections(sectionsOf(document), maxChars)) yield* piecesOf(document, section, maxChars);
  });

function* piecesOf(document: ParsedDocument, section: Section, maxChars: number): Generator<Piece> {
  const headings = titlesOf(section.path);
  const contextPrefix = breadcrumb(document, headings);
  if (section.end - section.start <= maxChars) {
    yield { start: section.start, end: section.end, headings, contextPrefix };
    return;
  }
  const blocks = blocksOf(document.text, section);
  const keepWhole = blocks.filter(({ start, end }) => end - start <= maxChars);
  for (const span of evenSplit(document.text, section, { maxChars, strength: proseStrength, keepWhole }))
    yield { ...span, headings, contextPrefix: [contextPrefix, ...repeatedHeader(blocks, span.start)].filter(Boolean).join('\n') };
}

/** The rows of a table that had to be cut are unreadable without its header. */
const repeatedHeader = (blocks: readonly Block[], start: number): readonly string[] => {
  const header = (spanAround(blocks, start) as Block | undefined)?.header;
  return header === undefined ? [] : [header];
};
