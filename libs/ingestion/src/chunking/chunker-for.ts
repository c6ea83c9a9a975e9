import { CHUNKERS, type ChunkerName, type ChunkingSettings } from '@palimpsest/knowledge/values';
import type { ParsedDocument, TextWindow } from '@palimpsest/knowledge/ports';
import { characters, tokensOf, windowOf, type Budget } from './budget.ts';
import type { Chunker } from './chunk-draft.ts';
import { chosenSettings, type ChosenSettings } from './chunking-settings.ts';
import { codeChunker } from './code-chunker.ts';
import { markdownChunker } from './markdown-chunker.ts';
import { sheetChunker } from './sheet-chunker.ts';
import { tokenChunker } from './token-chunker.ts';

/** A size that was set, in UTF-16 units or in tokens of the model; otherwise the window of the model. */
type Sizes = Readonly<{ inChars: (max: number | undefined) => Budget; inTokens: (max: number | undefined) => Budget }>;

const OPEN: { readonly [Name in ChunkerName]: (settings: ChosenSettings[Name], sizes: Sizes) => Chunker } = {
  markdown: ({ maxChars }, { inChars }) => markdownChunker(inChars(maxChars)),
  tokens: (settings, { inTokens }) => tokenChunker(inTokens(settings.maxTokens), settings),
  sheets: ({ maxChars }, { inChars }) => sheetChunker(inChars(maxChars)),
  code: ({ maxChars, overlap }, { inChars }) => codeChunker(inChars(maxChars), overlap),
};

const NAMES = Object.keys(CHUNKERS) as ChunkerName[];

const opened = <Name extends ChunkerName>(name: Name, settings: ChosenSettings, sizes: Sizes): Chunker => OPEN[name](settings[name], sizes);

/**
 * The chunker for this kind of document. Sizes that are not set follow from the model's window; `windows`: how many a chunk may fill.
 * @throws Error if the parser found a kind that has no chunker
 */
export const chunkerFor = (
  { kind }: Pick<ParsedDocument, 'kind'>,
  settings: ChunkingSettings,
  window: TextWindow,
  windows = 1,
): Chunker => {
  const name = NAMES.find((each) => CHUNKERS[each].kind === kind);
  if (name === undefined) throw new Error(`no chunker for documents of the kind ${kind}`);
  return opened(name, chosenSettings(settings), {
    inChars: (max) => (max === undefined ? windowOf(window, windows) : characters(max)),
    inTokens: (max) => (max === undefined ? windowOf(window, windows) : tokensOf(window, max)),
  });
};
