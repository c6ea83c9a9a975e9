export type { Chunker, ChunkDraft } from './chunk-draft.ts';
export { chunkingSettings } from '@palimpsest/contracts';
export { characters, tokensOf, windowOf } from './budget.ts';
export { chunkerFor } from './chunker-for.ts';
export { markdownChunker } from './markdown-chunker.ts';
export { tokenChunker } from './token-chunker.ts';
export { codeChunker } from './code-chunker.ts';
