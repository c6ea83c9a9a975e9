import { aWorkbook } from '../../test/documents.ts';
import { characters } from './budget.ts';
import { sheetChunker } from './sheet-chunker.ts';

const rows = (count: number): string[] => Array.from({ length: count }, (_, at) => `name${at},value${at}`);
const chunker = sheetChunker(characters(200));

describe('The sheet chunker', () => {
  it('names the sheet and the rows of a chunk, and repeats the header', () => {
    const chunks = chunker.chunk(aWorkbook({ name: 'Prices', header: 'name,value', rows: rows(30) }));
    expect(chunks.map(({ contextPrefix }) => contextPrefix)).toEqual([
      'Sheet "Prices", rows 1–13 of 30\nname,value',
      'Sheet "Prices", rows 14–26 of 30\nname,value',
      'Sheet "Prices", rows 27–30 of 30\nname,value',
    ]);
    expect(chunks[1]?.text).toMatch(/^name13,value13\n.*\nname25,value25$/s);
  });

  it('never puts rows of two sheets into one chunk', () => {
    const chunks = chunker.chunk(aWorkbook({ name: 'A', header: 'h', rows: rows(2) }, { name: 'B', header: 'h', rows: rows(2) }));
    expect(chunks.map(({ headings }) => headings)).toEqual([['A'], ['B']]);
  });

  it('splits a row that is too long, and gives each part its row number', () => {
    const chunks = chunker.chunk(aWorkbook({ name: 'Notes', header: 'note', rows: ['short', 'long text '.repeat(60), 'short'] }));
    expect(chunks.length).toBeGreaterThan(3);
    expect(chunks.slice(1, -1).every(({ contextPrefix }) => contextPrefix.startsWith('Sheet "Notes", rows 2–2 of 3'))).toBe(true);
  });

  it('keeps a sheet with a header but no rows', () => {
    expect(chunker.chunk(aWorkbook({ name: 'Empty', header: 'a,b', rows: [] }))[0]).toMatchObject({
      text: 'Empty\na,b',
      contextPrefix: 'Sheet "Empty", no rows\na,b',
    });
  });
});
