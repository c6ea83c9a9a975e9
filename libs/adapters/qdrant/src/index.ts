export { FORMAT as QDRANT_FORMAT } from './partitions/names.ts';
export { openQdrantVectorIndex, type QdrantVectorIndex } from './vectors/qdrant-vector-index.ts';
export type { QdrantVectorOptions } from './vectors/vector-options.ts';
export { openQdrantLexicalIndex, type QdrantLexicalIndex } from './lexical/qdrant-lexical-index.ts';
export type { QdrantLexicalOptions } from './lexical/lexical-options.ts';
export type { QdrantOptions } from './connection/options.ts';
