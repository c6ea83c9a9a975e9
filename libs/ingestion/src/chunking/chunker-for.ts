import { unreachable } from '@palimpsest/knowledge/errors';
import type { ChunkingSettings } from '@palimpsest/knowledge/events';
import type { ParsedDocument, TextWindow } from '@palimpsest/knowledge/ports';
import { characters, tokensOf, windowOf, type Budget } from './budget.ts';
import type { Chunker } from './chunk-draft.ts';
import { chosenSettings } from './chunking-settings.ts';
import { codeChunker } from './code-chunker.ts';
import { markdownChunker } from './markdown-chunker.ts';
import { sheetChunker } from './sheet-chunker.ts';
import { tokenChunker } from './token-chunker.ts';

/** The chunker for this kind of document. Sizes that are not set follow from the model's window; `windows`: how many a chunk may fill. */
export const chunkerFor = (
  { kind }: Pick<ParsedDocument, 'kind'>,
  settings: ChunkingSettings,
  window: TextWindow,
  windows = 1,
): Chunker => {
  const { markdown, tokens, sheets, code } = chosenSettings(settings);
  const charactersOr = (max: number | undefined): Budget => (max === undefined ? windowOf(window, windows) : characters(max));
  switch (kind) {
    case 'markdown':
      return markdownChunker(charactersOr(markdown.maxChars));
    case 'text':
      return tokenChunker(tokens.maxTokens === undefined ? windowOf(window, windows) : tokensOf(window, tokens.maxTokens), tokens);
    case 'code':
      return codeChunker(charactersOr(code.maxChars), code.overlap);
    case 'sheets':
      return sheetChunker(charactersOr(sheets.maxChars));
    default:
      return unreachable(kind);
  }
};
