import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { GoldenQueryLine } from '@palimpsest/client';
import { nameOf, REQUIRED_COLUMNS } from '@palimpsest/client/golden-files';
import { UsageError } from '../failure.ts';

/** @throws UsageError if the layout cannot hold the queries */
export const writeBeirFolder = async (folder: string, queries: readonly GoldenQueryLine[]): Promise<void> => {
  const bases = basesOf(queries);
  if (bases.length > 1)
    throw new UsageError(
      `the set judges documents of several knowledge bases (${bases.join(', ')}), which BEIR's layout cannot name: export to a .csv file`,
    );
  const heading = 'query-id\tcorpus-id\tscore\n';
  const rows = queries.flatMap(({ id, judgements }) => judgements.map((judgement) => `${id}\t${nameOf(judgement)}\t${judgement.grade}\n`));
  const lines = queries.map(
    ({ id, text, synthetic }) => `${JSON.stringify({ _id: id, text, ...(synthetic ? { metadata: { synthetic } } : {}) })}\n`,
  );
  await mkdir(join(folder, 'qrels'), { recursive: true });
  await writeFile(join(folder, 'queries.jsonl'), lines.join(''), { flag: 'wx' });
  await writeFile(join(folder, 'qrels', 'test.tsv'), heading + rows.join(''), { flag: 'wx' });
};

export const writeCsvFile = async (path: string, queries: readonly GoldenQueryLine[]): Promise<void> => {
  const columns = [...REQUIRED_COLUMNS, 'id', 'synthetic', ...(basesOf(queries).length > 1 ? ['knowledgeBase'] : [])];
  const rows = queries.flatMap(({ id, text, synthetic, judgements }) =>
    judgements.map((judgement) => {
      const cells = [text, nameOf(judgement), String(judgement.grade), id, String(synthetic), judgement.knowledgeBase ?? ''];
      return cells.slice(0, columns.length).map(quoted).join(',');
    }),
  );
  await writeFile(path, [columns.join(','), ...rows].map((row) => `${row}\n`).join(''), { flag: 'wx' });
};

const quoted = (cell: string): string => (/[",\r\n]|^\s|\s$|^$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

/** The knowledge bases of the judged documents. */
const basesOf = (queries: readonly GoldenQueryLine[]): readonly string[] => [
  ...new Set(queries.flatMap(({ judgements }) => judgements.flatMap(({ knowledgeBase = [] }) => knowledgeBase))),
];
