import { chunkingVersion, type TokenCounter } from '@palimpsest/knowledge';
import { chunkerOf } from './assemble.ts';
import { proseStrength } from './boundary-strength.ts';
import type { Chunker } from './chunk-draft.ts';
import type { ChunkingSettings } from './chunking-settings.ts';
import { breadcrumb, headingFinder, titlesOf } from './document-places.ts';
import { tokenRuler } from './ruler.ts';
import { windows } from './windows.ts';

/** `o200k_base` as a version can carry it: `o200k-base`. */
const versionName = (counter: TokenCounter): string => counter.name.toLowerCase().replace(/[^0-9a-z.]+/g, '-');

/** A fifth of the window often holds no end of a sentence; two fifths keep more answers whole (see `chunk-quality`). */
const SNAP = 0.4;

/** Windows of tokens for plain text and PDF, ending at paragraphs or sentences where they can. */
export const tokenChunker = (settings: ChunkingSettings['tokens'], tokens: TokenCounter): Chunker => {
  const { maxTokens, overlap, minTokens } = settings;
  return chunkerOf(chunkingVersion(`tokens@1/${versionName(tokens)}-${maxTokens}-${overlap}-${minTokens}`), function* (document) {
    const { text } = document;
    const ruler = tokenRuler(text, tokens);
    const headingsAt = headingFinder(document);
    const rules = { max: maxTokens, overlap, min: minTokens, ruler, snap: SNAP, strength: proseStrength };
    for (const span of windows(text, { start: 0, end: text.length }, rules)) {
      const headings = titlesOf(headingsAt(span.start));
      yield { ...span, headings, contextPrefix: breadcrumb(document, headings) };
    }
  });
};
