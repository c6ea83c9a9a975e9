import type { Judgements } from '@palimpsest/evaluation';
import { UsageError } from '../failure.ts';
import type { Line } from './text-lines.ts';

export type QueryJudgements = Readonly<{
  /** Of each document the highest grade that it has for any subtopic. */
  grades: Judgements;
  /** The grades by the second column of TREC's layout. In plain judgements it is the same in all lines, usually 0. */
  subtopics: ReadonlyMap<string, Judgements>;
}>;

export type JudgementsByQuery = ReadonlyMap<string, QueryJudgements>;

/**
 * Relevance judgements (qrels) in either layout: BEIR's `query-id<tab>corpus-id<tab>score`, with or without a heading, or TREC's four columns
 * `query subtopic document grade`.
 * @throws UsageError that names the invalid line
 */
export const judgementsFrom = (lines: readonly Line[]): JudgementsByQuery => {
  const byQuery = new Map<string, { grades: Map<string, number>; subtopics: Map<string, Map<string, number>> }>();
  for (const [index, { text, at }] of lines.entries()) {
    const { query, subtopic = '', document, grade } = columnsOf(text);
    if (index === 0 && grade !== undefined && Number.isNaN(Number(grade))) continue;
    if (!query || !document || !grade || !Number.isInteger(Number(grade)))
      throw new UsageError(`${at}: expected query, document and a whole number as grade, separated by tabs, or the four columns of TREC`);
    const { grades, subtopics } = byQuery.get(query) ?? {
      grades: new Map<string, number>(),
      subtopics: new Map<string, Map<string, number>>(),
    };
    const ofSubtopic = subtopics.get(subtopic) ?? new Map<string, number>();
    const before = ofSubtopic.get(document);
    if (before !== undefined && before !== Number(grade))
      throw new UsageError(`${at}: expected one grade for document ${document} of query ${query}, got ${grade} after ${before}`);
    grades.set(document, Math.max(Number(grade), grades.get(document) ?? Number.NEGATIVE_INFINITY));
    byQuery.set(query, { grades, subtopics: subtopics.set(subtopic, ofSubtopic.set(document, Number(grade))) });
  }
  return byQuery;
};

type Columns = Readonly<Partial<Record<'query' | 'subtopic' | 'document' | 'grade', string | undefined>>>;

const columnsOf = (text: string): Columns => {
  const tabbed = text.trim().split('\t');
  if (tabbed.length === 3) return { query: tabbed[0], document: tabbed[1], grade: tabbed[2] };
  const columns = text.trim().split(/\s+/);
  return columns.length === 4 ? { query: columns[0], subtopic: columns[1], document: columns[2], grade: columns[3] } : {};
};

/** Only queries with a relevant document can tell a good ranking from a bad one. */
export const hasRelevant = (grades: Judgements | undefined): grades is Judgements =>
  grades !== undefined && [...grades.values()].some((grade) => grade >= 1);
