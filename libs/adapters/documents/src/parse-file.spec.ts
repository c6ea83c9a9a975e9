import { readFileSync } from 'node:fs';
import type { ParsedDocument, ParseOutcome } from '@palimpsest/knowledge/ports';
import { keywordsOf } from '@palimpsest/knowledge/texts';
import { parseFile } from './parse-file.ts';
import { DEFAULT_LIMITS } from './parser-limits.ts';

const PROSE = 'The lighthouse keeper writes every passing ship into a book';

const parse = (name: string, as = name): Promise<ParseOutcome> =>
  parseFile({ bytes: readFileSync(new URL(`../test/fixtures/${name}`, import.meta.url)), fileName: as }, DEFAULT_LIMITS);

async function read(name: string, as?: string): Promise<ParsedDocument> {
  const outcome = await parse(name, as);
  if (outcome.outcome === 'rejected') throw new Error(`${name}: ${outcome.reason}, ${outcome.detail}`);
  return outcome.document;
}

const headingsOf = ({ headings, text }: ParsedDocument): unknown[] =>
  headings.map(({ level, title, start, end }) => [level, title, text.slice(start, end)]);
const pagesOf = ({ pages, text }: ParsedDocument): unknown[] =>
  pages.map(({ number, start }) => [number, text.slice(start).split('\n', 1)[0]]);

describe('parseFile reads', () => {
  it.each<[string, string | undefined]>([
    ['[sea, light]', 'sea, light'],
    ['[2024, null, yes]', '2024, yes'],
    ['["sea, calm", light]', '["sea, calm","light"]'],
    ['[]', undefined],
    [`[${'"a, b", '.repeat(100)}]`, JSON.stringify(Array(100).fill('a, b'))],
    [`["x,y", ${`"${'z'.repeat(900)}", `.repeat(3)}]`, JSON.stringify(['x,y', 'z'.repeat(900), 'z'.repeat(900)])],
  ])('the list %.40s of front matter as text that filters can take apart', async (list, expected) => {
    const bytes = Buffer.from(`---\ntags: ${list}\n---\n${PROSE}`);
    const outcome = await parseFile({ bytes, fileName: 'notes.md' }, DEFAULT_LIMITS);
    expect(outcome.outcome === 'parsed' && outcome.document.metadata['tags']).toBe(expected);
  });

  it('lists of front matter that filters take apart into the same keywords', async () => {
    const keywords = [...',;，；、،؛'].map((separator) => `a${separator}b`).concat('[c]', 'node.js', '"d"', 'e f');
    const bytes = Buffer.from(`---\n${keywords.map((one, n) => `k${n}: ${JSON.stringify([one, 'x'])}`).join('\n')}\n---\n${PROSE}`);
    const outcome = await parseFile({ bytes, fileName: 'notes.md' }, DEFAULT_LIMITS);
    const { metadata } = outcome.outcome === 'parsed' ? outcome.document : { metadata: {} };
    expect(Object.values(metadata).map((text) => keywordsOf(String(text)))).toEqual(keywords.map((one) => [one, 'x']));
  });

  it('Markdown without its front matter', async () => {
    const document = await read('notes.md');
    expect(document).toMatchObject({ kind: 'markdown', title: 'Lighthouse notes', language: 'en', warnings: [] });
    expect(document.metadata).toEqual({ title: 'Lighthouse notes', tags: 'sea, light', 'author.name': 'A. Keeper' });
    expect(headingsOf(document)).toEqual([
      [1, 'First light', '# First *light*'],
      [2, 'The lamp', 'The lamp\n--------'],
      [2, 'Oil', '## Oil {#oil}'],
    ]);
    expect(document.text.startsWith('# First')).toBe(true);
  });

  it('plain text, with line feeds only', async () => {
    expect(await read('plain.txt')).toMatchObject({
      kind: 'text',
      mediaType: 'text/plain',
      language: 'en',
      text: expect.stringMatching(/harbour\.\n\nSecond paragraph\.\n$/) as string,
    });
  });

  it('text in other character sets', async () => {
    expect((await read('utf16.txt')).text).toContain(PROSE);
    const german = await read('latin1.txt');
    expect(german).toMatchObject({ language: 'de', text: expect.stringContaining('Größe, Flagge') as string });
    expect(german.warnings).toEqual([
      'The text is not UTF-8; it was decoded as ISO-8859-1, which is a guess. Some characters may be wrong.',
    ]);
  });

  it('the main content of a web page', async () => {
    const document = await read('page.html');
    expect(document).toMatchObject({
      kind: 'markdown',
      mediaType: 'text/html',
      title: 'The lamp',
      metadata: { description: 'About the lamp' },
    });
    expect(headingsOf(document)).toEqual([
      [1, 'The lamp', '# The lamp'],
      [2, 'Parts', '## Parts'],
    ]);
    expect(document.text).toContain(
      '- wick\n- glass_cover\n\n| Part | Price |\n| - | - |\n| wick\\|thin | 3 |\n\n```js\nlamp.on(); // 1 < 2\n```',
    );
    expect(document.text).not.toMatch(/Harbour site|Home|Imprint|alert|color/);
  });

  it.each([
    ['from its main heading', '<h1>The lamp</h1><h2>Parts</h2>', 'The lamp'],
    ['from its title element, if it begins with a section', '<header><h1>Harbour site</h1></header><h2>Parts</h2>', 'Lamp(1)'],
  ])('the title of a web page %s', async (_, body, title) => {
    const page = `<html><head><title>Lamp(1)</title></head><body>${body}<p>${PROSE}.</p></body></html>`;
    expect(await parseFile({ bytes: Buffer.from(page), fileName: 'page.html' }, DEFAULT_LIMITS)).toMatchObject({ document: { title } });
  });

  it.each([
    ['table.csv', 'Ship | Flag | Tons, gross', ['Aurora | Norway | 1200', 'Sea "Star" | Chile | 3,400']],
    ['semicolon.csv', 'Schiff | Flagge | Tonnen', ['Aurora | Norwegen | 1200,5', 'Möwe | Chile | 3400,0']],
    ['table.tsv', 'Ship | Flag', ['Aurora | Norway']],
  ])('the table %s', async (name, header, rows) => {
    const { kind, sheets, text } = await read(name);
    expect(kind).toBe('sheets');
    expect(sheets).toHaveLength(1);
    expect(sheets[0]).toMatchObject({ name: name.replace(/\..*/, ''), header, start: 0, end: text.length });
    expect(sheets[0]?.rowStarts.map((start) => text.slice(start).split('\n', 1)[0])).toEqual(rows);
  });

  it.each(['ledger.xlsx', 'ledger.xls', 'ledger.ods'])('the workbook %s', async (name) => {
    const { sheets, text, kind } = await read(name);
    expect(kind).toBe('sheets');
    expect(sheets.map((sheet) => [sheet.name, sheet.header, sheet.rowStarts.map((start) => text.slice(start).split('\n', 1)[0])])).toEqual([
      ['Ships', 'Ship | Flag | Tons', ['Ships of the year', 'Aurora | Norway | 1200', 'Möwe | Chile | 3400.5']],
      ['Parts', 'Part | Price', ['Wick thin | 3']],
    ]);
  });

  it('a PDF, page by page, with its bookmarks as headings', async () => {
    const document = await read('report.pdf');
    expect(document).toMatchObject({ kind: 'text', title: 'Harbour report', metadata: { created: '2024-01-01T10:00:00+01:00' } });
    expect(pagesOf(document)).toEqual([
      [1, 'Chapter one'],
      [2, 'Chapter two'],
    ]);
    expect(headingsOf(document)).toEqual([
      [1, 'Chapter one', 'Chapter one'],
      [1, 'Chapter two', 'Chapter two'],
    ]);
  });

  it('a Word document with headings and tables, escaping only what would become a heading', async () => {
    const document = await read('report.docx');
    expect(document).toMatchObject({ kind: 'markdown', title: 'The harbour', metadata: { title: 'Keeper & Book', author: 'A. Keeper' } });
    expect(headingsOf(document)).toEqual([
      [1, 'The harbour', '# The harbour'],
      [2, 'Ships', '## Ships'],
    ]);
    expect(document.text).toContain('\\# not a heading, snake_case stays\n\n| Ship | Tons |\n| - | - |\n| Aurora | 1200 |');
  });

  it('a presentation, slide by slide, with speaker notes', async () => {
    const document = await read('talk.pptx');
    expect(pagesOf(document)).toEqual([
      [1, '# Harbour lights'],
      [2, '# Oil'],
    ]);
    expect(document.text).toMatch(/harbour\.\n\nNotes: Pause here\.\n\n# Oil\n\nTen barrels\n\nTwo lamps$/);
  });

  it('an old presentation: titles of the outline, text boxes of the slides', async () => {
    const document = await read('talk.ppt');
    expect(pagesOf(document)).toEqual([
      [1, '# Harbour lights'],
      [2, '# Oil'],
    ]);
    expect(document.text).toMatch(/^# Harbour lights\n\nThe lighthouse.*\n\n# Oil\n\nTen barrels$/);
  });

  it.each([
    ['report.odt', /^# The harbour\n\nThe lighthouse[^|]*\| Ship \| Tons \|\n\| - \| - \|\n\| Aurora \| 1200 \|$/],
    ['letter.rtf', /^Dear harbour,\n\nThe lighthouse/],
    ['report.doc', /^The harbour\nThe lighthouse/],
  ])('the text document %s', async (name, text) => {
    expect((await read(name)).text).toMatch(text);
  });

  it('a book, chapter by chapter, in reading order', async () => {
    const document = await read('book.epub');
    expect(document).toMatchObject({ title: 'The Keeper’s Book', metadata: { author: 'A. Keeper' } });
    expect(pagesOf(document)).toEqual([
      [1, '# Arrival'],
      [2, '# Departure'],
    ]);
    expect(document.text).not.toContain('Contents');
  });

  it('an e-mail with the names of its attachments', async () => {
    const document = await read('mail.eml');
    expect(document).toMatchObject({
      kind: 'text',
      title: 'The lamp is füll',
      warnings: ['1 attachment was not read; only its name was kept.'],
    });
    expect(document.metadata).toMatchObject({
      from: 'A. Keeper <keeper@harbour.example>',
      to: 'office@harbour.example',
      date: '2024-01-01T09:00:00.000Z',
      attachments: 'plan.pdf',
    });
    expect(document.text).toContain(PROSE);
    expect(headingsOf(document)).toEqual([[1, 'The lamp is füll', 'The lamp is füll']]);
  });

  it('an e-mail in HTML, and one saved by Outlook', async () => {
    expect((await read('html-mail.eml')).text).toBe('Oil\n\nFrom: keeper@harbour.example\n\nTen **barrels** of oil.');
    expect(await read('mail.msg')).toMatchObject({
      title: 'The lamp',
      metadata: { from: 'A. Keeper <keeper@harbour.example>' },
      text: expect.stringContaining(PROSE) as string,
    });
  });

  it.each([
    ['module.py', 'python'],
    ['service.ts', 'typescript'],
    ['data.json', 'json'],
  ])('%s as code in %s, unchanged', async (name, codeLanguage) => {
    const document = await read(name);
    expect(document).toMatchObject({ kind: 'code', codeLanguage, language: 'und', headings: [] });
    expect(document.text).toBe(readFileSync(new URL(`../test/fixtures/${name}`, import.meta.url), 'utf8'));
  });

  it('a notebook: its text and code, not its outputs', async () => {
    expect((await read('notebook.ipynb')).text).toBe('# Ships\nCounting them.\n\n````python\ncount(ships)\n````');
  });
});

describe('parseFile is not misled', () => {
  it.each([
    ['report.pdf', 'notes.md'],
    ['report.docx', 'report.doc'],
    ['talk.ppt', 'talk.xls'],
    ['ledger.xlsx', 'ledger.csv'],
    ['page.html', 'page.txt'],
    ['mail.eml', 'mail'],
    ['letter.rtf', 'letter.doc'],
  ])('by %s named %s', async (name, wrongName) => {
    const [right, wrong] = await Promise.all([read(name), read(name, wrongName)]);
    expect(wrong).toEqual(right);
  });
});

describe('parseFile rejects', () => {
  it.each(['password.pdf', 'password.docx', 'password.doc', 'password.odt'])('%s, which is protected by a password', async (name) => {
    expect(await parse(name)).toMatchObject({
      reason: 'password',
      detail: expect.stringMatching(/is protected by a password\.$/) as string,
    });
  });

  it('a scanned PDF', async () => {
    expect(await parse('scanned.pdf')).toEqual({
      outcome: 'rejected',
      reason: 'empty',
      detail: 'The PDF has 2 pages but no text; it is probably scanned, and images are not read.',
    });
  });

  it('an archive', async () => {
    expect(await parse('archive.zip')).toMatchObject({
      reason: 'unsupported',
      detail: 'The file is a zip archive. Archives are not unpacked; add the files in it one by one.',
    });
  });

  it.each(['report.docx', 'talk.pptx', 'ledger.xlsx', 'book.epub', 'report.pdf', 'report.doc', 'ledger.xls', 'mail.msg'])(
    '%s cut in half',
    async (name) => {
      const bytes = readFileSync(new URL(`../test/fixtures/${name}`, import.meta.url));
      const outcome = await parseFile({ bytes: bytes.subarray(0, bytes.length >> 1), fileName: name }, DEFAULT_LIMITS);
      // Half a PDF may still have a page to read.
      if (name !== 'report.pdf') expect(outcome).toMatchObject({ outcome: 'rejected', reason: 'corrupt' });
      else expect(['parsed', 'rejected']).toContain(outcome.outcome);
    },
  );
});
