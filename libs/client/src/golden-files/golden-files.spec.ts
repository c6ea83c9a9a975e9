import { createHash } from 'node:crypto';
import { derivedId, GoldenFileError, placeOf, readChosenFiles, type TextFile } from './index.ts';

const file = (name: string, text: string): TextFile => ({ name, text });
const at = (name: string, line: number) => ({ file: name, line });
const error = (read: () => unknown): unknown => {
  try {
    return read();
  } catch (thrown) {
    return thrown;
  }
};

const CSV = `query,source,grade,id,knowledgeBase
who?,a.md,2,,
where?,b.md,1,w,other
who?,"c,d.md",0,,
who?,a.md,2,,
where?,document-id:${'0'.repeat(32)},1,w,
`;

describe('a CSV file', () => {
  it('has a row for each judgement, and equal rows once', () => {
    expect(readChosenFiles([file('faq.CSV', CSV)])).toEqual({
      kind: 'csv',
      leftOut: 0,
      queries: [
        {
          at: at('faq.CSV', 2),
          query: {
            id: derivedId('who?'),
            text: 'who?',
            synthetic: false,
            judgements: [
              { source: 'a.md', grade: 2 },
              { source: 'c,d.md', grade: 0 },
            ],
          },
          judgementsAt: [at('faq.CSV', 2), at('faq.CSV', 4)],
        },
        {
          at: at('faq.CSV', 3),
          query: {
            id: 'w',
            text: 'where?',
            synthetic: false,
            judgements: [
              { source: 'b.md', knowledgeBase: 'other', grade: 1 },
              { documentId: '0'.repeat(32), grade: 1 },
            ],
          },
          judgementsAt: [at('faq.CSV', 3), at('faq.CSV', 6)],
        },
      ],
    });
  });

  it('may begin with a byte order mark, and quotes may contain lines', () => {
    const { queries } = readChosenFiles([file('faq.csv', '\ufeffquery,source,grade\r\n"w\nhat?",a.md,1\r\n\r\nwho?,b.md,3\r\n')]);
    expect(queries.map(({ at: { line }, query }) => [line, query.text, query.judgements[0]?.grade])).toEqual([
      [3, 'w\nhat?', 1],
      [5, 'who?', 3],
    ]);
  });

  const HEAD = 'query,source,grade,id,synthetic\n';
  it.each([
    ['query,source\n', 1, 'grade'],
    ['query,source,grade,extra\n', 1, 'extra'],
    ['query,source,grade,grade\n', 1, 'grade'],
    [`${HEAD}a,b,1\n`, 2, undefined],
    [`${HEAD}a,b,1,,\n ,b,1,,\n`, 3, 'query'],
    [`${HEAD}${'x'.repeat(4_001)},b,1,,\n`, 2, 'query'],
    [`${HEAD}a,,1,,\n`, 2, 'source'],
    [`${HEAD}a,b,high,,\n`, 2, 'grade'],
    [`${HEAD}a,b,1001,,\n`, 2, 'grade'],
    [`${HEAD}a,b,1,,\na,b,2,,\n`, 3, 'grade'],
    [`${HEAD}a,b,1,x y,\n`, 2, 'id'],
    [`${HEAD}a,b,1,x,\nc,b,1,x,\n`, 3, 'query'],
    [`${HEAD}a,b,1,x,true\na,c,1,x,false\n`, 3, 'synthetic'],
    [`${HEAD}a,b,1,,maybe\n`, 2, 'synthetic'],
    [`${HEAD}a,"b,1,,\n`, 2, undefined],
    [HEAD, undefined, undefined],
  ])('%j is wrong in line %d, field %s', (text, line, field) => {
    const found = error(() => readChosenFiles([file('faq.csv', text)]));
    expect(found).toBeInstanceOf(GoldenFileError);
    expect(found).toMatchObject({ file: 'faq.csv', line, field });
  });
});

const QUERIES = file(
  'queries.jsonl',
  '{"_id":"q1","text":"who?"}\n\n{"_id":2,"text":"where?","metadata":{"synthetic":true}}\n{"_id":"q3","text":"when?"}\n',
);
const QRELS = file('test.tsv', 'query-id\tcorpus-id\tscore\nq1\ta.md\t3\nq1\ta.md\t3\n2\tb.md\t0\n');

describe("files in BEIR's layout", () => {
  it('are read together, in any order, without the corpus', () => {
    const corpus = file('corpus.jsonl', 'not read');
    const expected = {
      kind: 'beir',
      leftOut: 1,
      queries: [
        {
          at: at('queries.jsonl', 1),
          query: { id: 'q1', text: 'who?', synthetic: false, judgements: [{ source: 'a.md', grade: 3 }] },
          judgementsAt: [at('test.tsv', 2)],
        },
        {
          at: at('queries.jsonl', 3),
          query: { id: '2', text: 'where?', synthetic: true, judgements: [{ source: 'b.md', grade: 0 }] },
          judgementsAt: [at('test.tsv', 4)],
        },
      ],
    };
    expect(readChosenFiles([QUERIES, QRELS])).toEqual(expected);
    expect(readChosenFiles([QRELS, corpus, QUERIES])).toEqual(expected);
    const more = readChosenFiles([QRELS, QUERIES, file('dev.tsv', 'q3\tc.md\t1\nq1\tz.md\t1\n')]);
    expect(more.queries.map(({ query }) => query.judgements.map(({ source }) => source))).toEqual([['z.md', 'a.md'], ['b.md'], ['c.md']]);
  });

  it.each<[file: string, line: number, field: string | undefined, queries: string, qrels: string]>([
    ['queries.jsonl', 5, 'text', `${QUERIES.text}{"_id":"x"}\n`, QRELS.text],
    ['queries.jsonl', 5, '_id', `${QUERIES.text}{"_id":"q1","text":"x"}\n`, QRELS.text],
    ['queries.jsonl', 5, undefined, `${QUERIES.text}{"_id":\n`, QRELS.text],
    ['queries.jsonl', 5, 'metadata.synthetic', `${QUERIES.text}{"_id":"x","text":"x","metadata":{"synthetic":1}}\n`, QRELS.text],
    ['test.tsv', 5, undefined, QUERIES.text, `${QRELS.text}q1\tx.md\n`],
    ['test.tsv', 5, 'score', QUERIES.text, `${QRELS.text}q1\tx.md\t-1\n`],
    ['test.tsv', 5, 'score', QUERIES.text, `${QRELS.text}q1\ta.md\t2\n`],
    ['test.tsv', 5, 'query-id', QUERIES.text, `${QRELS.text}none\tx.md\t1\n`],
    ['test.tsv', 5, 'corpus-id', QUERIES.text, `${QRELS.text}q1\t\t1\n`],
  ])('are wrong in %s line %d, field %s', (name, line, field, queries, qrels) => {
    expect(error(() => readChosenFiles([file('queries.jsonl', queries), file('test.tsv', qrels)]))).toMatchObject({
      file: name,
      line,
      field,
    });
  });

  it('are refused if one of them is missing, or others were chosen, too', () => {
    const messageOf = (...files: readonly TextFile[]) => (error(() => readChosenFiles(files)) as Error).message;
    expect(messageOf(QUERIES)).toBe('queries.jsonl: expected the .tsv files of its judgements to be chosen together with it');
    expect(messageOf(QRELS)).toBe('test.tsv: expected queries.jsonl to be chosen together with it');
    expect(messageOf(file('corpus.jsonl', ''))).toMatch(/^corpus\.jsonl: expected a CSV file, lines of JSON, or/);
    expect(messageOf(QUERIES, QRELS, file('faq.csv', CSV))).toMatch(/^faq\.csv: expected one file, or queries\.jsonl and/);
    expect(messageOf(QRELS, file('faq.csv', CSV))).toMatch(/^faq\.csv: expected one file/);
  });
});

describe('lines of JSON', () => {
  it('are sent as they are, and counted with the empty ones', () => {
    expect(readChosenFiles([file('faq.jsonl', '{"id":"a"}\n\n{"id":"b"}\n')])).toEqual({
      kind: 'lines',
      leftOut: 0,
      queries: [
        { at: at('faq.jsonl', 1), query: { id: 'a' }, judgementsAt: [] },
        { at: at('faq.jsonl', 3), query: { id: 'b' }, judgementsAt: [] },
      ],
    });
    expect(error(() => readChosenFiles([file('faq.jsonl', '{"id":"a"}\n{')]))).toMatchObject({ line: 2, expected: 'a query as JSON' });
    expect(error(() => readChosenFiles([file('faq.jsonl', '\n')]))).toBeInstanceOf(GoldenFileError);
  });
});

describe('what the server found', () => {
  it('is shown at the line and the column of the CSV file', () => {
    const csv = readChosenFiles([file('faq.csv', CSV)]);
    expect(placeOf(csv, 'line 1.judgements[1].source')).toEqual({ ...at('faq.csv', 4), field: 'source' });
    expect(placeOf(csv, 'line 2.judgements[1].documentId')).toEqual({ ...at('faq.csv', 6), field: 'source' });
    expect(placeOf(csv, 'line 2.judgements[0].knowledgeBase')).toEqual({ ...at('faq.csv', 3), field: 'knowledgeBase' });
    expect(placeOf(csv, 'line 2.text')).toEqual({ ...at('faq.csv', 3), field: 'query' });
    expect(placeOf(csv, 'line 2.id')).toEqual({ ...at('faq.csv', 3), field: 'id' });
    expect(placeOf(csv, 'line 9.id')).toBeUndefined();
    expect(placeOf(csv, 'set')).toBeUndefined();
  });

  it("is shown in the file of BEIR's layout that contains it", () => {
    const beir = readChosenFiles([QUERIES, QRELS]);
    expect(placeOf(beir, 'line 2.id')).toEqual({ ...at('queries.jsonl', 3), field: '_id' });
    expect(placeOf(beir, 'line 2.judgements[0].source')).toEqual({ ...at('test.tsv', 4), field: 'corpus-id' });
  });

  it('is shown at the line of the file of JSON', () => {
    const lines = readChosenFiles([file('faq.jsonl', '{"id":"a"}\n\n{"id":"b"}\n')]);
    expect(placeOf(lines, 'line 2.judgements[0].grade')).toEqual({ ...at('faq.jsonl', 3), field: 'judgements[0].grade' });
  });
});

it.each(['', 'a', 'ü🙂 '.repeat(200)])('the id of a query without one follows from its text: %j', (text) =>
  expect(derivedId(text)).toBe(`q-${createHash('sha256').update(text).digest('hex').slice(0, 12)}`),
);
