import { CsvError, csvRecords } from './csv.ts';

const read = (text: string) => [...csvRecords(text)].map(({ line, cells }) => [line, ...cells]);

it('reads quotes, commas, line ends in cells, and says where each record begins', () => {
  const text = '\ufeffquery,source\r\n"a ""b"", c",d\n\n"two\nlines",e\nlast,"f"';
  expect(read(text)).toEqual([
    [1, 'query', 'source'],
    [2, 'a "b", c', 'd'],
    [4, 'two\nlines', 'e'],
    [6, 'last', 'f'],
  ]);
});

it.each([
  ['a,b,', [[1, 'a', 'b', '']]],
  ['a,,b\r', [[1, 'a', '', 'b']]],
  ['\n\n', []],
  ['', []],
  ['it"s,b', [[1, 'it"s', 'b']]],
])('reads %j', (text, records) => expect(read(text)).toEqual(records));

it.each([
  ['a\n"b', 2],
  ['a\nb,"c"d', 2],
])('refuses the quotes of %j', (text, line) => {
  expect(() => read(text)).toThrow(CsvError);
  expect(() => read(text)).toThrow(expect.objectContaining({ line }) as CsvError);
});
