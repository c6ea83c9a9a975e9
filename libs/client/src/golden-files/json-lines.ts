import type { GoldenQueryToImport } from '../requests.ts';
import { GoldenFileError, type GoldenFile, type TextFile } from './golden-file.ts';
import { jsonOf, linesOf } from './text-lines.ts';

/** Lines of JSON as the HTTP API takes them. The server checks their fields. @throws GoldenFileError */
export const readJsonLines = (file: TextFile): GoldenFile => {
  const queries = linesOf(file).map(({ at, text }) => {
    const query = jsonOf(text);
    if (query === undefined) throw new GoldenFileError(at, 'a query as JSON');
    return { at, query: query as GoldenQueryToImport, judgementsAt: [] };
  });
  if (queries.length === 0) throw new GoldenFileError({ file: file.name }, 'at least one query with a judgement');
  return { kind: 'lines', queries, leftOut: 0 };
};
