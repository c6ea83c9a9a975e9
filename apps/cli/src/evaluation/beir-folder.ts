import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { UsageError } from '../failure.ts';
import type { Judgements } from './metrics.ts';

/** A test set in BEIR's layout: corpus.jsonl, queries.jsonl, qrels/test.tsv, each of them plain or as .gz. */
export type TestSet = Readonly<{
  /** The folder's name, converted to a valid knowledge base ID. */
  name: string;
  corpus: readonly Readonly<{ id: string; text: string }>[];
  /** Only those with at least one relevant document. */
  queries: readonly Readonly<{ id: string; text: string; judgements: Judgements }>[];
}>;

/** @throws UsageError that names the missing file or the invalid line */
export const readTestSet = async (folder: string): Promise<TestSet> => {
  const [corpus, queries, qrels] = await Promise.all([
    readLines(folder, 'corpus.jsonl'),
    readLines(folder, 'queries.jsonl'),
    readLines(folder, 'qrels/test.tsv'),
  ]);
  const judgements = judgementsFrom(qrels);
  return {
    name: basename(resolve(folder))
      .toLowerCase()
      .replaceAll(/[^a-z0-9._-]+/g, '-'),
    corpus: corpus.map((line, index) => documentFrom(record(line, 'corpus.jsonl', index))),
    queries: queries
      .map((line, index) => record(line, 'queries.jsonl', index))
      .flatMap(({ _id: id, text }) => {
        const relevant = judgements.get(id);
        return relevant === undefined ? [] : [{ id, text, judgements: relevant }];
      }),
  };
};

type BeirLine = Readonly<{ _id: string; title?: string; text: string }>;

const documentFrom = ({ _id: id, title = '', text }: BeirLine): { id: string; text: string } => ({
  id,
  text: title === '' ? text : `${title}\n\n${text}`,
});

const readLines = async (folder: string, name: string): Promise<readonly string[]> => {
  const plain = join(folder, name);
  const file = existsSync(plain) ? plain : `${plain}.gz`;
  if (!existsSync(file)) throw new UsageError(`${folder} is not in BEIR's layout: ${name} (or ${name}.gz) is missing`);
  const bytes = await readFile(file);
  return (file.endsWith('.gz') ? gunzipSync(bytes) : bytes)
    .toString('utf8')
    .split('\n')
    .filter((line) => line.trim() !== '');
};

const record = (line: string, file: string, index: number): BeirLine => {
  try {
    const { _id: id, text, title } = JSON.parse(line) as Partial<BeirLine>;
    if (id !== undefined && typeof text === 'string') return { _id: String(id), text, ...(title === undefined ? {} : { title }) };
  } catch {
    // Reported below: the position of the line matters more than the parser's message.
  }
  throw new UsageError(`${file} line ${index + 1}: expected a JSON object with _id and text`);
};

/** Query id, tab, document id, tab, score; the first line is a heading. Documents of score 0 or less are left out. */
const judgementsFrom = (lines: readonly string[]): ReadonlyMap<string, Judgements> => {
  const judgements = new Map<string, Map<string, number>>();
  for (const line of lines.slice(1)) {
    const [query, document, score] = line.trim().split('\t');
    if (query === undefined || document === undefined || !(Number(score) > 0)) continue;
    const known = judgements.get(query) ?? new Map<string, number>();
    judgements.set(query, known.set(document, Number(score)));
  }
  return judgements;
};
