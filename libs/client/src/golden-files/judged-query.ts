import { REQUEST_LIMITS } from '../request-limits.ts';
import type { GoldenQueryToImport } from '../requests.ts';
import { GoldenFileError, type GoldenFile, type Place, type PlacedQuery } from './golden-file.ts';

type Judgement = GoldenQueryToImport['judgements'][number];

const { golden, query: maxText, sourceId } = REQUEST_LIMITS;
/** How a file names a document that has no source: it was judged by its id, and did not exist. */
const DOCUMENT_ID = /^document-id:([0-9a-f]{32})$/;

export const invalid = (at: Place, field: string, expected: string, got: string): GoldenFileError =>
  new GoldenFileError(at, expected, { field, got });

/** @throws GoldenFileError */
export const textOf = (at: Place, field: string, text: string): string => {
  if (text.trim() === '') throw invalid(at, field, 'a query that is not empty', text);
  if (text.length > maxText) throw invalid(at, field, `a query of at most ${maxText} characters`, text);
  if (!text.isWellFormed()) throw invalid(at, field, 'well-formed Unicode', text);
  return text;
};

/** @throws GoldenFileError */
export const idOf = (at: Place, field: string, id: string): string => {
  if (id === '' || id.length > golden.queryId || /[\s\p{Cc}]/u.test(id))
    throw invalid(at, field, `1-${golden.queryId} characters without spaces`, id);
  return id;
};

/** @throws GoldenFileError */
export const gradeOf = (at: Place, field: string, raw: string): number => {
  const grade = raw.trim();
  if (!/^[0-9]{1,4}$/.test(grade) || Number(grade) > golden.grade)
    throw invalid(at, field, `a whole number from 0 to ${golden.grade}`, grade);
  return Number(grade);
};

/** @throws GoldenFileError */
export const documentOf = (at: Place, field: string, source: string): Pick<Judgement, 'source' | 'documentId'> => {
  const [, documentId] = DOCUMENT_ID.exec(source) ?? [];
  if (documentId !== undefined) return { documentId };
  if (source === '' || [...source].length > sourceId || /[\p{Cc}\p{Cs}]/u.test(source))
    throw invalid(at, field, `a source of 1-${sourceId} characters`, source);
  return { source };
};

/** The name of a judged document in a file. */
export const nameOf = ({ source, documentId }: Readonly<{ source?: string | undefined; documentId?: string | undefined }>): string =>
  source ?? `document-id:${documentId ?? ''}`;

/** Judgements by query, without repetitions. */
export class JudgementTable {
  readonly #byQuery = new Map<string, Map<string, Readonly<{ at: Place; judgement: Judgement }>>>();
  readonly #fields: Readonly<{ source: string; grade: string }>;

  /** `fields`: what the file calls them, for errors. */
  constructor(fields: Readonly<{ source: string; grade: string }>) {
    this.#fields = fields;
  }

  /** @throws GoldenFileError if the document has another grade, or there are too many */
  add(at: Place, id: string, judgement: Judgement): void {
    const ofQuery = this.#byQuery.get(id) ?? new Map<string, Readonly<{ at: Place; judgement: Judgement }>>();
    this.#byQuery.set(id, ofQuery);
    const key = JSON.stringify([judgement.knowledgeBase, nameOf(judgement)]);
    const before = ofQuery.get(key);
    if (before !== undefined && before.judgement.grade !== judgement.grade)
      throw invalid(
        at,
        this.#fields.grade,
        `one grade for ${nameOf(judgement)}, which has ${before.judgement.grade} in ${before.at.file} line ${before.at.line}`,
        String(judgement.grade),
      );
    if (before === undefined) ofQuery.set(key, { at, judgement });
    if (ofQuery.size > golden.judgements)
      throw invalid(at, this.#fields.source, `at most ${golden.judgements} judgements for query ${id}`, nameOf(judgement));
  }

  /** The query with its judgements, and where they are. */
  judged(at: Place, query: Omit<GoldenQueryToImport, 'judgements'>): PlacedQuery {
    const found = [...(this.#byQuery.get(query.id)?.values() ?? [])];
    return {
      at,
      query: { ...query, judgements: found.map(({ judgement }) => judgement) },
      judgementsAt: found.map((each) => each.at),
    };
  }
}

/** @throws GoldenFileError if there are too many queries, or none */
export const asGoldenFile = (kind: GoldenFile['kind'], name: string, queries: readonly PlacedQuery[]): GoldenFile => {
  const judged = queries.filter(({ query }) => query.judgements.length > 0);
  const tooMany = judged[golden.queries];
  if (tooMany !== undefined) throw new GoldenFileError(tooMany.at, `at most ${golden.queries} queries`);
  if (judged.length === 0) throw new GoldenFileError({ file: name }, 'at least one query with a judgement');
  return { kind, queries: judged, leftOut: queries.length - judged.length };
};
