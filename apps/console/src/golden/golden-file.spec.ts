import { FileError, placeOf, readGoldenFile } from './golden-file.ts';
import { derivedId } from './query-id.ts';

const CSV = `query,source,grade,id,knowledgeBase
who?,a.md,2,,
where?,b.md,1,w,other
who?,"c,d.md",0,,
who?,a.md,2,,
where?,document-id:${'0'.repeat(32)},1,w,
`;

describe('a CSV file', () => {
  it('has a row for each judgement, and equal rows once', () => {
    const { queries } = readGoldenFile('faq.CSV', CSV);
    expect(queries).toEqual([
      {
        line: 2,
        query: {
          id: derivedId('who?'),
          text: 'who?',
          synthetic: false,
          judgements: [
            { source: 'a.md', grade: 2 },
            { source: 'c,d.md', grade: 0 },
          ],
        },
        judgementLines: [2, 4],
      },
      {
        line: 3,
        query: {
          id: 'w',
          text: 'where?',
          synthetic: false,
          judgements: [
            { source: 'b.md', knowledgeBase: 'other', grade: 1 },
            { documentId: '0'.repeat(32), grade: 1 },
          ],
        },
        judgementLines: [3, 6],
      },
    ]);
  });

  const HEAD = 'query,source,grade,id,synthetic\n';
  it.each([
    ['query,source\n', 1, 'grade'],
    ['query,source,grade,extra\n', 1, 'extra'],
    ['query,source,grade,grade\n', 1, 'grade'],
    [`${HEAD}a,b,1\n`, 2, undefined],
    [`${HEAD}a,b,1,,\n ,b,1,,\n`, 3, 'query'],
    [`${HEAD}a,,1,,\n`, 2, 'source'],
    [`${HEAD}a,b,high,,\n`, 2, 'grade'],
    [`${HEAD}a,b,1001,,\n`, 2, 'grade'],
    [`${HEAD}a,b,1,,\na,b,2,,\n`, 3, 'grade'],
    [`${HEAD}a,b,1,x,\nc,b,1,x,\n`, 3, 'query'],
    [`${HEAD}a,b,1,x,true\na,c,1,x,false\n`, 3, 'synthetic'],
    [`${HEAD}a,b,1,,maybe\n`, 2, 'synthetic'],
    [`${HEAD}a,"b,1,,\n`, 2, undefined],
    [HEAD, 1, undefined],
  ])('%j is wrong in line %d, field %s', (text, line, field) => {
    const read = () => readGoldenFile('faq.csv', text);
    expect(read).toThrow(FileError);
    expect(read).toThrow(expect.objectContaining({ line, field }) as FileError);
  });
});

describe('lines of JSON', () => {
  it('are sent as they are, and counted with the empty ones', () => {
    const { kind, queries } = readGoldenFile('faq.jsonl', '{"id":"a"}\n\n{"id":"b"}\n');
    expect([kind, queries.map(({ line, query }) => [line, query])]).toEqual([
      'lines',
      [
        [1, { id: 'a' }],
        [3, { id: 'b' }],
      ],
    ]);
    expect(() => readGoldenFile('faq.jsonl', '{"id":"a"}\n{')).toThrow(expect.objectContaining({ line: 2 }) as FileError);
    expect(() => readGoldenFile('faq.jsonl', '\n')).toThrow(FileError);
  });
});

describe('what the server found', () => {
  it('is shown at the line and the column of the CSV file', () => {
    const file = readGoldenFile('faq.csv', CSV);
    expect(placeOf(file, 'line 1.judgements[1].source')).toEqual({ line: 4, field: 'source' });
    expect(placeOf(file, 'line 2.judgements[1].documentId')).toEqual({ line: 6, field: 'source' });
    expect(placeOf(file, 'line 2.text')).toEqual({ line: 3, field: 'query' });
    expect(placeOf(file, 'line 2.id')).toEqual({ line: 3, field: 'id' });
    expect(placeOf(file, 'line 9.id')).toBeUndefined();
    expect(placeOf(file, 'set')).toBeUndefined();
  });

  it('is shown at the line of the file of JSON', () => {
    const file = readGoldenFile('faq.jsonl', '{"id":"a"}\n\n{"id":"b"}\n');
    expect(placeOf(file, 'line 2.judgements[0].grade')).toEqual({ line: 3, field: 'judgements[0].grade' });
  });
});
