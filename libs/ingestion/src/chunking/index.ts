export type { Chunker, ChunkDraft } from './chunk-draft.ts';
export { chunkingSettings } from '@palimpsest/contracts';
export { characters, tokensOf, windowOf, type Budget } from './budget.ts';
export { chunkerFor } from './chunker-for.ts';
export { markdownChunker } from './markdown-chunker.ts';
export { tokenChunker } from './token-chunker.ts';
export { sheetChunker } from './sheet-chunker.ts';
export { codeChunker } from './code-chunker.ts';
