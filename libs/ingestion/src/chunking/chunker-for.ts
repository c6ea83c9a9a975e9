import { unreachable, type ParsedDocument, type TokenCounter } from '@palimpsest/knowledge';
import type { Chunker } from './chunk-draft.ts';
import type { ChunkingSettings } from './chunking-settings.ts';
import { codeChunker } from './code-chunker.ts';
import { markdownChunker } from './markdown-chunker.ts';
import { sheetChunker } from './sheet-chunker.ts';
import { tokenChunker } from './token-chunker.ts';

/** The chunker that suits a document, by its kind. */
export const chunkerFor = ({ kind }: Pick<ParsedDocument, 'kind'>, settings: ChunkingSettings, tokens: TokenCounter): Chunker => {
  switch (kind) {
    case 'markdown':
      return markdownChunker(settings.markdown);
    case 'text':
      return tokenChunker(settings.tokens, tokens);
    case 'code':
      return codeChunker(settings.code);
    case 'sheets':
      return sheetChunker(settings.sheets);
    default:
      return unreachable(kind);
  }
};
