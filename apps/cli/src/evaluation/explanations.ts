import type { Hit } from '@palimpsest/client';
import { rankByScore } from '@palimpsest/evaluation';
import type { ScoredDocument } from '@palimpsest/evaluation';
import { UsageError } from '../failure.ts';
import type { TestSet } from './beir-folder.ts';
import type { Line } from './text-lines.ts';
import type { Run } from './trec-run.ts';

/** Why a document of a run has its rank: the ranks and scores of its best chunk in each stage of the search. */
export type DocumentExplanation = NonNullable<Hit['explain']>;

/** A run whose documents are explained where that was asked for. */
export type ExplainedRun = ReadonlyMap<string, readonly (ScoredDocument & Readonly<{ explain?: DocumentExplanation }>)[]>;

/** Of each query its text and the explanations of documents, by document id. */
export type Explanations = ReadonlyMap<string, Readonly<{ text: string; documents: ReadonlyMap<string, DocumentExplanation> }>>;

/** The file next to a run that explains it. */
export const explanationsFile = (run: string): string => `${run.replace(/\.gz$/, '')}.explain.jsonl`;

/** A line of JSON for each query. */
export const textOfExplanations = ({ queries }: TestSet, run: ExplainedRun): string =>
  queries
    .map(({ id: query, text }) => {
      const documents = (run.get(query) ?? []).flatMap(({ id, explain }, index) =>
        explain === undefined ? [] : [{ id, rank: index + 1, explain }],
      );
      return `${JSON.stringify({ query, text, documents })}\n`;
    })
    .join('');

/**
 * Reads such lines. Each document must be at its rank in the run, so that explanations of another run are not shown for this one.
 * @throws UsageError that names the invalid line
 */
export const explanationsFrom = (lines: readonly Line[], { file, run }: Readonly<{ file: string; run: Run }>): Explanations =>
  new Map(
    lines.map((line) => {
      const { query, text, documents } = recordOf(line);
      const ranking = rankByScore(run.get(query) ?? []);
      const moved = documents.find(({ id, rank }) => ranking[rank - 1] !== id);
      if (moved !== undefined)
        throw new UsageError(
          `${line.at}: expected document ${moved.id} at rank ${moved.rank} of query ${query} in ${file}; one \`palimpsest eval\` has to write both files`,
        );
      return [query, { text, documents: new Map(documents.map(({ id, explain }) => [id, explain])) }];
    }),
  );

type ExplainedDocument = Readonly<{ id: string; rank: number; explain: DocumentExplanation }>;
type QueryRecord = Readonly<{ query: string; text: string; documents: readonly ExplainedDocument[] }>;

const recordOf = ({ text: line, at }: Line): QueryRecord => {
  const value = parsed(line);
  if (!isRecord(value)) throw new UsageError(`${at}: expected query, text and documents with id, rank and explain, as \`palimpsest eval --explain\` writes them`); // prettier-ignore
  return value;
};

const parsed = (line: string): unknown => {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
};

type Fields = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null;
const isPlace = (value: unknown): boolean =>
  isObject(value) && typeof value['rank'] === 'number' && typeof value['score'] === 'number' && ['string', 'undefined'].includes(typeof value['note']); // prettier-ignore
const isSum = (value: unknown): boolean =>
  isObject(value) && typeof value['label'] === 'string' && typeof value['value'] === 'number' && isListOf(value['parts'] ?? [], isSum);
const isListOf = (value: unknown, isItem: (item: unknown) => boolean): value is readonly unknown[] =>
  Array.isArray(value) && value.every((item) => isItem(item));
const isText = (value: unknown): boolean => typeof value === 'string';

const isRecord = (value: unknown): value is QueryRecord =>
  isObject(value) && isText(value['query']) && isText(value['text']) && isListOf(value['documents'], isDocument);

const isDocument = (value: unknown): boolean =>
  isObject(value) && isText(value['id']) && Number.isInteger(value['rank']) && isExplanation(value['explain']);

/** What reports read of an explanation. */
const isExplanation = (value: unknown): boolean => {
  if (!isObject(value)) return false;
  const { fusion, stages, lexical, skipped = {}, generation } = value;
  return (
    isSum(fusion) &&
    isObject(stages) &&
    Object.values(stages).every(isPlace) &&
    (lexical === undefined || (isObject(lexical) && isListOf(lexical['terms'], isText))) &&
    isObject(skipped) &&
    Object.values(skipped).every(isText) &&
    isObject(generation) &&
    isText(generation['generation']) &&
    isText(generation['embeddingVersion'])
  );
};
