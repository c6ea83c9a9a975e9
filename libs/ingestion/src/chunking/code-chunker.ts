import { chunkingVersion } from '@palimpsest/knowledge/values';
import { chunkerOf } from './assemble.ts';
import { codeStrength } from './boundary-strength.ts';
import type { Budget } from './budget.ts';
import type { Chunker } from './chunk-draft.ts';
import { breadcrumb, shortTitle } from './document-places.ts';
import { joinedSections, sectionsOf } from './sections.ts';
import { windows } from './windows.ts';

/** Default overlap with the next window, as a share of the window. */
const OVERLAP = 0.125;
/** Minimum size of the last piece, as a share of the window. */
const MIN = 0.2;
/** The last part of the window that is searched for a blank line or line end, as a share of the window. */
const SNAP = 0.2;

/**
 * Sliding windows over code that end at a blank line or line end. Where the parser knows the symbols (as headings), each symbol
 * becomes a chunk, small neighbours are joined, and only symbols that exceed the window are split into sliding windows.
 */
export const codeChunker = (budget: Budget, repeated?: number): Chunker =>
  chunkerOf(chunkingVersion(`code@2/${budget.name}${repeated === undefined ? '' : `-${repeated}`}`), function* (document) {
    const { text } = document;
    const ruler = yield* budget.measure(text);
    const contextPrefix = breadcrumb(document, []);
    const max = budget.room(contextPrefix);
    const overlap = repeated ?? Math.floor(max * OVERLAP);
    const rules = { max, overlap, min: Math.floor(max * MIN), ruler, snap: SNAP, strength: codeStrength };
    for (const section of joinedSections(sectionsOf(document), { ruler, room: () => max })) {
      const symbol = section.first.at(-1)?.title;
      for (const span of windows(text, section, rules))
        yield { ...span, contextPrefix, headings: [], ...(symbol ? { symbol: shortTitle(symbol) } : {}) };
    }
  });
