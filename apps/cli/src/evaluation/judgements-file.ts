import type { Judgements } from '@palimpsest/evaluation';
import { UsageError } from '../failure.ts';
import type { Line } from './text-lines.ts';

/** The grades of documents by query id. */
export type JudgementsByQuery = ReadonlyMap<string, Judgements>;

/**
 * Relevance judgements (qrels) in either layout: BEIR's `query-id<tab>corpus-id<tab>score`, with or without a heading, or TREC's four columns
 * `query iteration document grade`.
 * @throws UsageError that names the invalid line
 */
export const judgementsFrom = (lines: readonly Line[]): JudgementsByQuery => {
  const byQuery = new Map<string, Map<string, number>>();
  for (const [index, { text, at }] of lines.entries()) {
    const { query, document, grade } = columnsOf(text);
    if (index === 0 && grade !== undefined && Number.isNaN(Number(grade))) continue;
    if (!query || !document || !grade || !Number.isInteger(Number(grade)))
      throw new UsageError(`${at}: expected query, document and a whole number as grade, separated by tabs, or the four columns of TREC`);
    const known = byQuery.get(query) ?? new Map<string, number>();
    const before = known.get(document);
    if (before !== undefined && before !== Number(grade))
      throw new UsageError(`${at}: expected one grade for document ${document} of query ${query}, got ${grade} after ${before}`);
    byQuery.set(query, known.set(document, Number(grade)));
  }
  return byQuery;
};

const columnsOf = (text: string): Readonly<{ query?: string | undefined; document?: string | undefined; grade?: string | undefined }> => {
  const tabbed = text.trim().split('\t');
  if (tabbed.length === 3) return { query: tabbed[0], document: tabbed[1], grade: tabbed[2] };
  const columns = text.trim().split(/\s+/);
  return columns.length === 4 ? { query: columns[0], document: columns[2], grade: columns[3] } : {};
};

/** Only queries with a relevant document can tell a good ranking from a bad one. */
export const hasRelevant = (judgements: Judgements | undefined): judgements is Judgements =>
  judgements !== undefined && [...judgements.values()].some((grade) => grade >= 1);
