import type { ExportLines, SealedExportLines } from './export-file.ts';

/** Whole documents, as the lines of one request. */
export type Batch = Readonly<{ lines: Uint8Array<ArrayBuffer>; documents: number }>;

/** A request ends with the document that reaches one of these; a larger document goes alone. */
const BYTES = 4 * 1024 * 1024;
const DOCUMENTS = 50;

type DocumentLine = Readonly<{ text: string; last: boolean }>;

async function* batched(lines: AsyncIterable<DocumentLine>): AsyncGenerator<Batch> {
  let waiting: string[] = [];
  let units = 0;
  let documents = 0;
  for await (const { text, last } of lines) {
    waiting.push(text);
    units += text.length;
    if (!last) continue;
    documents += 1;
    if (units < BYTES && documents < DOCUMENTS) continue;
    yield { lines: Buffer.from(`${waiting.join('\n')}\n`), documents };
    [waiting, units, documents] = [[], 0, 0];
  }
  if (documents > 0) yield { lines: Buffer.from(`${waiting.join('\n')}\n`), documents };
}

/** The installation opens the lines and renames knowledge bases. */
export const sealedBatchesOf = (lines: SealedExportLines): AsyncGenerator<Batch> => batched(lines.lines());

/** `renamed`: new IDs of knowledge bases, by their IDs in the export. */
export const batchesOf = (lines: ExportLines, renamed: ReadonlyMap<string, string>): AsyncGenerator<Batch> =>
  batched(documentLines(lines, renamed));

async function* documentLines(lines: ExportLines, renamed: ReadonlyMap<string, string>): AsyncGenerator<DocumentLine> {
  for await (const { text, kind } of lines.lines())
    yield { text: kind === 'document' && renamed.size > 0 ? withRenamed(text, renamed) : text, last: kind === 'document-end' };
}

const withRenamed = (text: string, renamed: ReadonlyMap<string, string>): string => {
  const record = JSON.parse(text) as { knowledgeBase: string };
  return JSON.stringify({ ...record, knowledgeBase: renamed.get(record.knowledgeBase) ?? record.knowledgeBase });
};
