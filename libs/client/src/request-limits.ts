import type { REQUEST_LIMITS as OfTheContracts } from '@palimpsest/contracts/http';

/** Limits of requests: of texts in characters, of pages in entries. The compiler refuses a number that differs from the contracts. */
export const REQUEST_LIMITS: typeof OfTheContracts = {
  query: 4_000,
  topK: { max: 100, default: 10 },
  terms: { entries: 16, characters: 200 },
  contextTokens: { min: 50, max: 100_000, default: 2_000 },
  page: { documents: 500, events: 200, audit: 200, deadLetters: 1_000 },
  deletions: 1_000,
  golden: { queries: 10_000, judgements: 1_000, grade: 1_000, queryId: 200 },
  sourceId: 1_024,
  knowledgeBaseId: 64,
  knowledgeBaseName: 200,
  knowledgeBaseDescription: 2_000,
  language: 35,
  historyDays: 36_500,
};
