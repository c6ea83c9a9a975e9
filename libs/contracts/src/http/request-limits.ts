import { LENGTHS } from '@palimpsest/knowledge/texts';

/**
 * Limits of requests that forms, commands and docs repeat. Schemas of routes use them; `libs/client` exports a copy that the compiler compares with
 * this one, since a client loads nothing of the contracts.
 */
export const REQUEST_LIMITS = {
  /** Characters of a query. */
  query: 4_000,
  /** Results of a search, and the default. */
  topK: { max: 100, default: 10 },
  /** Entries of each list of terms, and the length of an entry. */
  terms: { entries: 16, characters: 200 },
  /** Tokens of a context for a prompt. */
  contextTokens: { min: 50, max: 100_000, default: 2_000 },
  /** Entries of one page of a list. */
  page: { documents: 500, events: 200, audit: 200, deadLetters: 1_000 },
  /** Documents that one request deletes, and that it names. */
  deletions: 1_000,
  /** Judgements of a golden query, and the highest grade. */
  golden: { queries: 10_000, judgements: 1_000, grade: 1_000, queryId: LENGTHS.goldenQueryId },
  /** Characters. */
  sourceId: LENGTHS.sourceId,
  knowledgeBaseId: LENGTHS.knowledgeBaseId,
  knowledgeBaseName: LENGTHS.knowledgeBaseName,
  knowledgeBaseDescription: LENGTHS.knowledgeBaseDescription,
  language: LENGTHS.language,
  /** Days of history that are kept: 100 years. */
  historyDays: 36_500,
} as const;
