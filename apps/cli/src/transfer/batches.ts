import type { ExportLines } from './export-file.ts';

/** Whole documents, as the lines of one request. */
export type Batch = Readonly<{ lines: Uint8Array<ArrayBuffer>; documents: number }>;

/** A request ends with the document that reaches one of these; a larger document goes alone. */
const BYTES = 4 * 1024 * 1024;
const DOCUMENTS = 50;

/** `renamed`: knowledge bases by the name that they have in the export. */
export async function* batchesOf(lines: ExportLines, renamed: ReadonlyMap<string, string>): AsyncGenerator<Batch> {
  let waiting: string[] = [];
  let units = 0;
  let documents = 0;
  for await (const { text, kind } of lines.lines()) {
    const line = kind === 'document' && renamed.size > 0 ? withRenamed(text, renamed) : text;
    waiting.push(line);
    units += line.length;
    if (kind !== 'document-end') continue;
    documents += 1;
    if (units < BYTES && documents < DOCUMENTS) continue;
    yield { lines: Buffer.from(`${waiting.join('\n')}\n`), documents };
    [waiting, units, documents] = [[], 0, 0];
  }
  if (documents > 0) yield { lines: Buffer.from(`${waiting.join('\n')}\n`), documents };
}

const withRenamed = (text: string, renamed: ReadonlyMap<string, string>): string => {
  const record = JSON.parse(text) as { knowledgeBase: string };
  return JSON.stringify({ ...record, knowledgeBase: renamed.get(record.knowledgeBase) ?? record.knowledgeBase });
};
