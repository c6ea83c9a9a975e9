import { REQUEST_LIMITS, type GoldenQueryLine, type GoldenQueryToImport } from '@palimpsest/client';
import { UsageError } from '../failure.ts';

/** A query with the place of its line, for errors. */
export type PlacedQuery = Readonly<{ at: string; query: GoldenQueryToImport }>;
/** `leftOut`: queries without a judgement, which say nothing about a ranking. */
export type GoldenFile = Readonly<{ queries: readonly PlacedQuery[]; leftOut: number }>;

type Judgement = GoldenQueryToImport['judgements'][number];

const { golden, query: maxText, sourceId } = REQUEST_LIMITS;
/** How a file names a document that has no source: it was judged by its id, and did not exist. */
const DOCUMENT_ID = /^document-id:([0-9a-f]{32})$/;

export const invalid = (at: string, field: string, expected: string, got: string): UsageError =>
  new UsageError(`${at}, ${field}: expected ${expected}, got ${JSON.stringify(got.length > 80 ? `${got.slice(0, 80)}…` : got)}`);

/** @throws UsageError naming line and field */
export const textOf = (at: string, field: string, text: string): string => {
  if (text.trim() === '') throw invalid(at, field, 'a query that is not empty', text);
  if (text.length > maxText) throw invalid(at, field, `a query of at most ${maxText} characters`, text);
  if (!text.isWellFormed()) throw invalid(at, field, 'well-formed Unicode', text);
  return text;
};

/** @throws UsageError naming line and field */
export const idOf = (at: string, field: string, id: string): string => {
  if (id === '' || id.length > golden.queryId || /[\s\p{Cc}]/u.test(id))
    throw invalid(at, field, `1-${golden.queryId} characters without spaces`, id);
  return id;
};

/** @throws UsageError naming line and field */
export const gradeOf = (at: string, field: string, grade: string): number => {
  if (!/^[0-9]{1,4}$/.test(grade) || Number(grade) > golden.grade)
    throw invalid(at, field, `a whole number from 0 to ${golden.grade}`, grade);
  return Number(grade);
};

/** @throws UsageError naming line and field */
export const documentOf = (at: string, field: string, source: string): Pick<Judgement, 'source' | 'documentId'> => {
  const [, documentId] = DOCUMENT_ID.exec(source) ?? [];
  if (documentId !== undefined) return { documentId };
  if (source === '' || [...source].length > sourceId || /[\p{Cc}\p{Cs}]/u.test(source))
    throw invalid(at, field, `a source of 1-${sourceId} characters`, source);
  return { source };
};

export const nameOf = ({ source, documentId }: Readonly<{ source?: string | undefined; documentId?: string | undefined }>): string =>
  source ?? `document-id:${documentId ?? ''}`;

/** The knowledge bases of the judged documents. */
export const basesOf = (queries: readonly GoldenQueryLine[]): readonly string[] => [
  ...new Set(queries.flatMap(({ judgements }) => judgements.flatMap(({ knowledgeBase = [] }) => knowledgeBase))),
];

/** Judgements by query, without repetitions. */
export class JudgementTable {
  readonly #byQuery = new Map<string, Map<string, Judgement>>();
  readonly #fields: Readonly<{ source: string; grade: string }>;

  /** `fields`: what the file calls them, for errors. */
  constructor(fields: Readonly<{ source: string; grade: string }>) {
    this.#fields = fields;
  }

  /** @throws UsageError if the document has another grade, or there are too many */
  add(at: string, id: string, judgement: Judgement): void {
    const ofQuery = this.#byQuery.get(id) ?? new Map<string, Judgement>();
    this.#byQuery.set(id, ofQuery);
    const key = JSON.stringify([judgement.knowledgeBase, nameOf(judgement)]);
    const before = ofQuery.get(key);
    if (before !== undefined && before.grade !== judgement.grade)
      throw invalid(
        at,
        this.#fields.grade,
        `one grade for ${nameOf(judgement)}, which has ${before.grade} in an earlier line`,
        String(judgement.grade),
      );
    ofQuery.set(key, judgement);
    if (ofQuery.size > golden.judgements)
      throw invalid(at, this.#fields.source, `at most ${golden.judgements} judgements for query ${id}`, nameOf(judgement));
  }

  of(id: string): readonly Judgement[] {
    return [...(this.#byQuery.get(id)?.values() ?? [])];
  }
}

/** @throws UsageError if there are too many queries, or none */
export const asGoldenFile = (name: string, queries: readonly PlacedQuery[]): GoldenFile => {
  const judged = queries.filter(({ query }) => query.judgements.length > 0);
  const tooMany = judged[golden.queries];
  if (tooMany !== undefined) throw new UsageError(`${tooMany.at}: expected at most ${golden.queries} queries`);
  if (judged.length === 0) throw new UsageError(`${name}: expected at least one query with a judgement`);
  return { queries: judged, leftOut: queries.length - judged.length };
};
