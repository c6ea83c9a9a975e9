export { openBm25Index, type Bm25Options } from './open-bm25-index.ts';
export type { Bm25Index } from './bm25-index.ts';
export type { TermContribution } from './partition/explain-terms.ts';
export { analyse, BM25_ANALYSER_VERSION, type AnalysedText } from './analysis/analyse.ts';
export { analyseQuery } from './analysis/analyse-query.ts';
export { queryLanguage } from './analysis/query-language.ts';
