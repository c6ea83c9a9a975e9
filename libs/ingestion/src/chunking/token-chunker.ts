import type { ParsedDocument } from '@palimpsest/knowledge/ports';
import { chunkingVersion } from '@palimpsest/knowledge/values';
import { chunkerOf } from './assemble.ts';
import { proseStrength } from './boundary-strength.ts';
import type { Budget } from './budget.ts';
import type { Chunker } from './chunk-draft.ts';
import { breadcrumb, headingFinder, headingPaths, soundHeadings, titlesOf } from './document-places.ts';
import { windows } from './windows.ts';

/** A fifth of the window often contains no end of a sentence; two fifths keep more answers whole (see `chunk-quality`). */
const SNAP = 0.4;
/** Default overlap and default minimum size of the last window, as shares of the window. */
const OVERLAP = 0.1;
const MIN = 0.2;

/** Windows of tokens for plain text and PDF that end at paragraphs or sentences where possible. */
export const tokenChunker = (
  budget: Budget,
  chosen: Readonly<{ overlap?: number | undefined; minTokens?: number | undefined }> = {},
): Chunker =>
  chunkerOf(
    chunkingVersion(`tokens@2/${[budget.name, chosen.overlap, chosen.minTokens].filter((part) => part !== undefined).join('-')}`),
    function* (document) {
      const { text } = document;
      const ruler = yield* budget.measure(text);
      const headingsAt = headingFinder(document);
      const max = budget.room(longestPrefix(document));
      const overlap = chosen.overlap ?? Math.floor(max * OVERLAP);
      const min = chosen.minTokens ?? Math.floor(max * MIN);
      for (const span of windows(text, { start: 0, end: text.length }, { max, overlap, min, ruler, snap: SNAP, strength: proseStrength })) {
        const headings = titlesOf(headingsAt(span.start));
        yield { ...span, headings, contextPrefix: breadcrumb(document, headings) };
      }
    },
  );

/** The size of a window is chosen before its heading is known, so it leaves space for the longest prefix. */
const longestPrefix = (document: ParsedDocument): string => {
  let longest = breadcrumb(document, []);
  for (const path of headingPaths(soundHeadings(document))) {
    const prefix = breadcrumb(document, titlesOf(path));
    if (prefix.length > longest.length) longest = prefix;
  }
  return longest;
};
