import { chunkingVersion } from '@palimpsest/knowledge';
import { chunkerOf } from './assemble.ts';
import { codeStrength } from './boundary-strength.ts';
import type { Chunker } from './chunk-draft.ts';
import type { ChunkingSettings } from './chunking-settings.ts';
import { breadcrumb, shortTitle } from './document-places.ts';
import { joinedSections, sectionsOf } from './sections.ts';
import { characterRuler } from './ruler.ts';
import { windows } from './windows.ts';

/** Of the window: a shorter last piece is not left standing alone. */
const MIN = 0.2;
/** Of the window: a blank line or line end is looked for in this last part. */
const SNAP = 0.2;

/**
 * Sliding windows over code, ending at a blank line or line end. Where the parser knows the symbols (as headings), each is
 * cut by itself, small neighbours are joined, and only what exceeds the window slides.
 */
export const codeChunker = (settings: ChunkingSettings['code']): Chunker => {
  const { maxChars, overlap } = settings;
  return chunkerOf(chunkingVersion(`code@1/${maxChars}-${overlap}`), function* (document) {
    const { text } = document;
    const ruler = characterRuler(text);
    const rules = { max: maxChars, overlap, min: Math.floor(maxChars * MIN), ruler, snap: SNAP, strength: codeStrength };
    for (const section of joinedSections(sectionsOf(document), maxChars)) {
      const symbol = section.first.at(-1)?.title;
      for (const span of windows(text, section, rules))
        yield { ...span, contextPrefix: breadcrumb(document, []), headings: [], ...(symbol ? { symbol: shortTitle(symbol) } : {}) };
    }
  });
};
