import { REQUEST_LIMITS, type GoldenQueryToImport, type GoldenQueryView, type Hit } from '@palimpsest/client';

/** A document that is judged. Without `source`, it is known by its id only. */
export type JudgedDocument = Readonly<{
  documentId: string;
  source?: string | undefined;
  knowledgeBase?: string | undefined;
  title?: string | undefined;
  missing?: boolean | undefined;
}>;
export type Judged = JudgedDocument & Readonly<{ grade: number }>;

/** What the user changed, by document. Without a grade, the judgement is taken back. */
export type Edits = ReadonlyMap<string, Readonly<{ document: JudgedDocument; grade: number | undefined }>>;
export const NO_EDITS: Edits = new Map();

type Grade = Readonly<{ grade: number; name: string }>;

const NAMED: readonly Grade[] = [
  { grade: 3, name: 'Exact answer' },
  { grade: 2, name: 'Relevant' },
  { grade: 1, name: 'Somewhat relevant' },
  { grade: 0, name: 'Not relevant' },
];
/** The grades that the console gives, best first: those with a name that the server accepts. An import can use higher ones. */
export const GRADES: readonly Grade[] = NAMED.filter(({ grade }) => grade <= REQUEST_LIMITS.golden.grade);

/** The digits that give grades. */
export const GRADE_KEYS = `${Math.min(...GRADES.map(({ grade }) => grade))} to ${Math.max(...GRADES.map(({ grade }) => grade))}`;

export const gradeText = (grade: number): string => {
  const name = GRADES.find((known) => known.grade === grade)?.name.toLowerCase();
  return name === undefined ? `grade ${grade}` : `${name}, grade ${grade}`;
};

/** The grade that a key gives: its digit. */
export const gradeOfKey = ({
  key,
  altKey,
  ctrlKey,
  metaKey,
}: Pick<KeyboardEvent, 'key' | 'altKey' | 'ctrlKey' | 'metaKey'>): number | undefined =>
  altKey || ctrlKey || metaKey ? undefined : GRADES.find(({ grade }) => String(grade) === key)?.grade;

/** The judgements of a query with the user's changes. */
export const judgedWith = (judgements: readonly Judged[], edits: Edits): readonly Judged[] => [
  ...judgements.filter(({ documentId }) => !edits.has(documentId)),
  ...[...edits.values()].flatMap(({ document, grade }) => (grade === undefined ? [] : [{ ...document, grade }])),
];

/** Gives a document a grade. The grade that it has already is taken back. */
export const withGrade = (judgements: readonly Judged[], edits: Edits, document: JudgedDocument, grade: number): Edits => {
  const before = gradeOf(judgedWith(judgements, edits), document);
  return new Map(edits).set(document.documentId, { document, grade: before === grade ? undefined : grade });
};

export const gradeOf = (judgements: readonly Judged[], { documentId }: JudgedDocument): number | undefined =>
  judgements.find((judged) => judged.documentId === documentId)?.grade;

/** The best result of each document: documents are judged, not chunks. */
export const bestOfEach = (hits: readonly Hit[]): readonly Hit[] => {
  const best = new Map<string, Hit>();
  for (const hit of hits) if (!best.has(hit.documentId)) best.set(hit.documentId, hit);
  return [...best.values()];
};

const sameText = (one: string, other: string): boolean => one.trim() === other.trim();

export const queryWithText = (queries: readonly GoldenQueryView[], text: string): GoldenQueryView | undefined =>
  queries.find((query) => sameText(query.text, text));

const judgementLine = ({ documentId, source, knowledgeBase, grade }: Judged): GoldenQueryToImport['judgements'][number] =>
  source === undefined || knowledgeBase === undefined ? { documentId, grade } : { source, knowledgeBase, grade };

export const lineOf = ({ id, text, synthetic, judgements }: GoldenQueryView): GoldenQueryToImport => ({
  id,
  text,
  synthetic,
  judgements: judgements.map(judgementLine),
});

type NewQuery = Readonly<{ text: string; judgements: readonly Judged[]; id: string }>;

/** All queries of a set after this one was judged. A query with the same text keeps its id and who wrote it. */
export const linesWith = (queries: readonly GoldenQueryView[], { text, judgements, id }: NewQuery): readonly GoldenQueryToImport[] => {
  const known = queryWithText(queries, text);
  const judged = judgements.map(judgementLine);
  if (known === undefined) return [...queries.map(lineOf), { id: freeId(queries, id), text, synthetic: false, judgements: judged }];
  return queries.map((query) => (query === known ? { ...lineOf(query), judgements: judged } : lineOf(query)));
};

export const linesWithout = (queries: readonly GoldenQueryView[], id: string): readonly GoldenQueryToImport[] =>
  queries.filter((query) => query.id !== id).map(lineOf);

/** An import can give this id to a query with another text. */
const freeId = (queries: readonly GoldenQueryView[], id: string): string => {
  const used = new Set(queries.map((query) => query.id));
  let free = id;
  for (let number = 2; used.has(free); number++) free = `${id}-${number}`;
  return free;
};
