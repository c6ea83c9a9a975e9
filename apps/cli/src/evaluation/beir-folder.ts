import type { Judgements } from '@palimpsest/evaluation';
import { basename, join, resolve } from 'node:path';
import { UsageError } from '../failure.ts';
import { hasRelevant, judgementsFrom } from './judgements-file.ts';
import type { Line } from './text-lines.ts';
import { plainOrGzip, readLines } from './text-lines.ts';

export type CorpusText = Readonly<{ id: string; text: string }>;

/** A test set in BEIR's layout: corpus.jsonl, queries.jsonl, qrels/test.tsv, each of them plain or as .gz. */
export type TestSet = Readonly<{
  /** The folder's name, converted to a valid knowledge base ID. */
  name: string;
  corpus: readonly CorpusText[];
  /** Only those with at least one relevant document. */
  queries: readonly Readonly<{ id: string; text: string; judgements: Judgements }>[];
}>;

/** @throws UsageError that names the missing file or the invalid line */
export const readTestSet = async (folder: string): Promise<TestSet> => {
  const [corpus, queries, qrels] = await Promise.all([
    linesOf(folder, 'corpus.jsonl'),
    linesOf(folder, 'queries.jsonl'),
    linesOf(folder, 'qrels/test.tsv'),
  ]);
  const judgements = judgementsFrom(qrels);
  return {
    name: nameOf(folder),
    corpus: corpus.map((line) => documentFrom(record(line))),
    queries: queries
      .map((line) => record(line))
      .flatMap(({ _id: id, text }) => {
        const grades = judgements.get(id)?.grades;
        return hasRelevant(grades) ? [{ id, text, judgements: grades }] : [];
      }),
  };
};

/** The name of a folder, converted to a part of a knowledge base ID. */
export const nameOf = (folder: string): string =>
  basename(resolve(folder))
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-');

type BeirLine = Readonly<{ _id: string; title?: string; text: string }>;

const documentFrom = ({ _id: id, title = '', text }: BeirLine): { id: string; text: string } => ({
  id,
  text: title === '' ? text : `${title}\n\n${text}`,
});

const linesOf = (folder: string, name: string): Promise<readonly Line[]> => {
  const file = plainOrGzip(join(folder, name));
  if (file === undefined) throw new UsageError(`${folder} is not in BEIR's layout: ${name} (or ${name}.gz) is missing`);
  return readLines(file, name);
};

const record = ({ text: line, at }: Line): BeirLine => {
  try {
    const { _id: id, text, title } = JSON.parse(line) as Partial<BeirLine>;
    if (id !== undefined && typeof text === 'string') return { _id: String(id), text, ...(title === undefined ? {} : { title }) };
  } catch {
    // Reported below: the position of the line matters more than the parser's message.
  }
  throw new UsageError(`${at}: expected a JSON object with _id and text`);
};
