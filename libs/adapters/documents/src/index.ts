export { gptTokenCounter } from './gpt-token-counter.ts';
export { openDocumentParser, type DocumentParserOptions } from './open-document-parser.ts';
export { DEFAULT_LIMITS, DEFAULT_POOL, type ParserLimits, type PoolOptions } from './parser-limits.ts';
