import type { ParsedDocument } from '@palimpsest/knowledge/ports';
import { chunkingVersion } from '@palimpsest/knowledge/values';
import { chunkerOf, type Piece } from './assemble.ts';
import { proseStrength } from './boundary-strength.ts';
import type { Budget } from './budget.ts';
import type { Chunker } from './chunk-draft.ts';
import { spanAround } from './cuts.ts';
import { breadcrumb, titlesOf } from './document-places.ts';
import { evenSplit } from './even-split.ts';
import { blocksOf, type Block } from './markdown-blocks.ts';
import type { Ruler } from './ruler.ts';
import { joinedSections, sectionsOf, type Section } from './sections.ts';

/** One chunk per section, with its heading path as prefix. Large sections are split, tiny ones joined. */
export const markdownChunker = (budget: Budget): Chunker =>
  chunkerOf(chunkingVersion(`markdown@2/${budget.name}`), function* (document) {
    const ruler = yield* budget.measure(document.text);
    const room = (path: Section['path']): number => budget.room(breadcrumb(document, titlesOf(path)));
    for (const section of joinedSections(sectionsOf(document), { ruler, room })) yield* piecesOf(document, section, ruler, budget);
  });

function* piecesOf(document: ParsedDocument, section: Section, ruler: Ruler, budget: Budget): Generator<Piece> {
  const headings = titlesOf(section.path);
  const contextPrefix = breadcrumb(document, headings);
  if (ruler.size(section.start, section.end) <= budget.room(contextPrefix)) {
    yield { start: section.start, end: section.end, headings, contextPrefix };
    return;
  }
  const blocks = blocksOf(document.text, section);
  const max = budget.room([contextPrefix, ...longestHeader(blocks)].join('\n'));
  const keepWhole = blocks.filter(({ start, end }) => ruler.size(start, end) <= max);
  for (const span of evenSplit(document.text, section, { max, ruler, strength: proseStrength, keepWhole }))
    yield { ...span, headings, contextPrefix: [contextPrefix, ...repeatedHeader(blocks, span.start)].filter(Boolean).join('\n') };
}

/** The longest table header that a piece may have to repeat. */
const longestHeader = (blocks: readonly Block[]): readonly string[] =>
  blocks
    .flatMap(({ header }) => header ?? [])
    .sort((a, b) => b.length - a.length)
    .slice(0, 1);

/** Rows of a split table are unreadable without its header. */
const repeatedHeader = (blocks: readonly Block[], start: number): readonly string[] => {
  const header = (spanAround(blocks, start) as Block | undefined)?.header;
  return header === undefined ? [] : [header];
};
