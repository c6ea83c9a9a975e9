import type { GoldenQueryView, Hit } from '@palimpsest/client';
import {
  bestOfEach,
  gradeOf,
  gradeOfKey,
  gradeText,
  judgedWith,
  lineOf,
  linesWith,
  linesWithout,
  NO_EDITS,
  queryWithText,
  withGrade,
} from './judging.ts';

const document = (name: string) => ({ documentId: `id-${name}`, source: `${name}.md`, knowledgeBase: 'handbook' });
const judged = (name: string, grade: number) => ({ ...document(name), grade, missing: false });
const query = (id: string, text: string, change: Partial<GoldenQueryView> = {}): GoldenQueryView => ({
  id,
  text,
  synthetic: false,
  judgements: [judged('a', 1)],
  ...change,
});

describe('judgements with changes', () => {
  it('add, replace and take back a grade, and leave the others', () => {
    const before = [judged('a', 1), judged('b', 2)];
    const added = withGrade(before, NO_EDITS, document('c'), 2);
    expect(judgedWith(before, added)).toEqual([...before, { ...document('c'), grade: 2 }]);
    const replaced = withGrade(before, added, document('a'), 0);
    expect(judgedWith(before, replaced).map(({ documentId, grade }) => [documentId, grade])).toEqual([
      ['id-b', 2],
      ['id-c', 2],
      ['id-a', 0],
    ]);
    expect(gradeOf(judgedWith(before, withGrade(before, NO_EDITS, document('a'), 1)), document('a'))).toBeUndefined();
    expect(gradeOf(judgedWith(before, withGrade(before, replaced, document('a'), 0)), document('a'))).toBeUndefined();
  });

  it('apply to a newer version of the query', () => {
    const edits = withGrade([judged('a', 1)], NO_EDITS, document('a'), 2);
    expect(judgedWith([judged('a', 1), judged('z', 1)], edits).map(({ documentId, grade }) => [documentId, grade])).toEqual([
      ['id-z', 1],
      ['id-a', 2],
    ]);
  });

  it.each([
    [3, 'exact answer, grade 3'],
    [2, 'relevant, grade 2'],
    [1, 'somewhat relevant, grade 1'],
    [0, 'not relevant, grade 0'],
    [7, 'grade 7'],
  ])('of grade %d are “%s”', (grade, text) => expect(gradeText(grade)).toBe(text));
});

it('gives the grade of a digit key, and nothing for other keys', () => {
  const plain = { altKey: false, ctrlKey: false, metaKey: false };
  expect(['0', '1', '2', '3', '4', 'a'].map((key) => gradeOfKey({ ...plain, key }))).toEqual([0, 1, 2, 3, undefined, undefined]);
  expect(gradeOfKey({ ...plain, key: '2', ctrlKey: true })).toBeUndefined();
});

it('shows each document once, with its best result', () => {
  const hit = (chunkId: string, name: string) => ({ ...document(name), chunkId }) as unknown as Hit;
  expect(bestOfEach([hit('1', 'a'), hit('2', 'b'), hit('3', 'a')]).map(({ chunkId }) => chunkId)).toEqual(['1', '2']);
});

describe('the queries of a set', () => {
  const byId: GoldenQueryView = query('x', 'who is gone?', {
    synthetic: true,
    judgements: [{ documentId: 'gone', grade: 1, missing: true }],
  });

  it('are sent with source and knowledge base, or with the id of a document that has none', () => {
    expect(lineOf(byId)).toEqual({ id: 'x', text: 'who is gone?', synthetic: true, judgements: [{ documentId: 'gone', grade: 1 }] });
    expect(lineOf(query('a', 'b')).judgements).toEqual([{ source: 'a.md', knowledgeBase: 'handbook', grade: 1 }]);
  });

  it('get a new one with a free id', () => {
    const judgements = [judged('b', 2)];
    const lines = linesWith([query('q-1', 'other')], { text: 'who?', judgements, id: 'q-1' });
    expect(lines.map(({ id, text }) => [id, text])).toEqual([
      ['q-1', 'other'],
      ['q-1-2', 'who?'],
    ]);
  });

  it('replace the judgements of the query with the same text, and nothing else', () => {
    const lines = linesWith([byId, query('q-1', 'other')], { text: ' who is gone? ', judgements: [judged('b', 2)], id: 'new' });
    expect(lines).toEqual([
      { id: 'x', text: 'who is gone?', synthetic: true, judgements: [{ source: 'b.md', knowledgeBase: 'handbook', grade: 2 }] },
      lineOf(query('q-1', 'other')),
    ]);
    expect(queryWithText([byId], 'who is')).toBeUndefined();
  });

  it('can lose one', () => expect(linesWithout([byId, query('q-1', 'other')], 'x')).toEqual([lineOf(query('q-1', 'other'))]));
});
