import type { GoldenQueryToImport } from '../requests.ts';

/** A file as it was read. */
export type TextFile = Readonly<{ name: string; text: string }>;
/** Where something is in a file. The first line is 1. */
export type Place = Readonly<{ file: string; line: number }>;
/** A query with the places of its own line and of each of its judgements. */
export type PlacedQuery = Readonly<{ at: Place; query: GoldenQueryToImport; judgementsAt: readonly Place[] }>;
export type GoldenFileKind = 'csv' | 'beir' | 'lines';
/** `leftOut`: queries without a judgement, which say nothing about a ranking. */
export type GoldenFile = Readonly<{ kind: GoldenFileKind; queries: readonly PlacedQuery[]; leftOut: number }>;

const MAX_SHOWN = 80;

/** Something in a file is wrong: what was expected in which field of which line. */
export class GoldenFileError extends Error {
  override readonly name = 'GoldenFileError';
  readonly file: string;
  readonly line: number | undefined;
  readonly field: string | undefined;
  readonly expected: string;

  constructor(
    { file, line }: Readonly<{ file: string; line?: number }>,
    expected: string,
    { field, got }: { field?: string; got?: string } = {},
  ) {
    const place = `${file}${line === undefined ? '' : ` line ${line}`}${field === undefined ? '' : `, ${field}`}`;
    const shown = got === undefined ? '' : `, got ${JSON.stringify(got.length > MAX_SHOWN ? `${got.slice(0, MAX_SHOWN)}…` : got)}`;
    super(`${place}: expected ${expected}${shown}`);
    this.file = file;
    this.line = line;
    this.field = field;
    this.expected = expected;
  }
}

/** What the file calls the fields of the API. */
const NAMES: Readonly<Record<GoldenFileKind, Readonly<Record<string, string>>>> = {
  csv: { text: 'query', documentId: 'source' },
  beir: { id: '_id', synthetic: 'metadata.synthetic', source: 'corpus-id', documentId: 'corpus-id', grade: 'score' },
  lines: {},
};

/** Where in the files the server found something wrong. It counts the queries that were sent: `line 2.judgements[0].grade`. */
export const placeOf = ({ kind, queries }: GoldenFile, field: string): (Place & Readonly<{ field: string }>) | undefined => {
  const [, number, path = ''] = /^line (\d+)\.(.+)$/.exec(field) ?? [];
  const placed = queries[Number(number) - 1];
  if (placed === undefined) return undefined;
  if (kind === 'lines') return { ...placed.at, field: path };
  const [, index, name] = /^judgements\[(\d+)\]\.(.+)$/.exec(path) ?? [];
  const at = index === undefined ? placed.at : (placed.judgementsAt[Number(index)] ?? placed.at);
  const known = name ?? path;
  return { ...at, field: NAMES[kind][known] ?? known };
};
