import type { DocumentParser, ParseInput } from '@palimpsest/knowledge';
import { docxWith, swellingPdf, zipped } from '../test/hostile-files.ts';
import { openDocumentParser } from './open-document-parser.ts';

const text = (content: string, fileName: string): ParseInput => ({ bytes: Buffer.from(content), fileName });

describe('hostile files', () => {
  let parser: DocumentParser;
  beforeAll(async () => {
    parser = await openDocumentParser({ maxRssBytes: 280_000_000, timeoutMs: 30_000, maxBytes: 3_000_000, maxTextChars: 2_000_000, maxCells: 50_000, maxColumns: 50, maxZipEntries: 100 });
  });
  afterAll(async () => {
    // The pool has outlived all of them.
    expect(await parser.parse(text('# Still here\n', 'a.md'))).toMatchObject({ outcome: 'parsed', document: { title: 'Still here' } });
    await parser.close();
  });

  const tooLarge = async (input: ParseInput, detail: RegExp): Promise<void> => {
    expect(await parser.parse(input)).toEqual({ outcome: 'rejected', reason: 'too-large', detail: expect.stringMatching(detail) as string });
  };
  const parsed = async (input: ParseInput): Promise<{ text: string; warnings: readonly string[] }> => {
    const outcome = await parser.parse(input);
    if (outcome.outcome === 'rejected') throw new Error(`${outcome.reason}: ${outcome.detail}`);
    return outcome.document;
  };

  it('a file above the size limit', () => tooLarge({ bytes: new Uint8Array(3_000_001) }, /^The file has 3\.0 MB; at most 3 MB is allowed\.$/));

  it('a zip that says that it swells', async () => {
    await tooLarge(await docxWith(' '.repeat(30_000_000)), /^The part word\/document\.xml inside expands from \d+\.\d kB to 30\.0 MB; at most 200-fold is allowed\.$/);
  });

  it('a zip with too many entries', async () => {
    const entries = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`e${index}`, '']));
    await tooLarge(await zipped(entries, 'many.docx'), /^The zip inside has 101 entries; at most 100 are allowed\.$/);
  });

  it('a PDF whose page swells', () => tooLarge(swellingPdf(800_000_000), /^Reading the file took more than 280 MB of memory\.$/));

  it('a Word file nested two hundred thousand deep', async () => {
    const depth = 200_000;
    await tooLarge(await docxWith(`${'<w:p><w:r>'.repeat(depth)}x${'</w:r></w:p>'.repeat(depth)}`), /memory|nested/);
  });

  it('a Word file whose entities multiply', async () => {
    const laughs = Array.from({ length: 10 }, (_, level) => `<!ENTITY l${level + 1} "${`&l${level};`.repeat(10)}">`).join('');
    const outcome = await parser.parse(await docxWith('<w:p><w:r><w:t>&l10;</w:t></w:r></w:p>', `<!DOCTYPE a [<!ENTITY l0 "lol">${laughs}]>`));
    expect(outcome).toMatchObject({ outcome: 'rejected', reason: 'corrupt' });
  });

  it('deep HTML, which keeps its words', async () => {
    const { text: words, warnings } = await parsed(text(`<html><h2>Title</h2>${'<div>'.repeat(100_000)}deep &amp; <b>far</b><script>x</script>`, 'deep.html'));
    expect(words).toBe('## Title\n\ndeep & far');
    expect(warnings).toEqual([expect.stringContaining('nested very deeply')]);
  });

  it('a table cell that spans a thousand columns, in thousands of rows', async () => {
    const { text: words } = await parsed(text(`<html><table>${'<tr><td colspan=1000>a</td></tr>'.repeat(3_000)}</table>`, 'spans.html'));
    expect(words.length).toBeLessThan(100_000);
  });

  it('a quotation mark that is never closed', async () => {
    const { warnings, text: words } = await parsed(text(`name,text\n"${'abcdefghi,defghijklmnop\n'.repeat(10_000)}`, 'open.csv'));
    expect(warnings).toEqual(['A quotation mark is never closed, so quotation marks were taken for text.']);
    expect(words).toContain('abcdefghi | defghijklmnop');
  });

  it('more cells than allowed', () => tooLarge(text('a,b,c\n'.repeat(20_000), 'cells.csv'), /^The sheets have more than 50,000 cells/));

  it('a sheet that is too wide, which is cut', async () => {
    const { warnings } = await parsed(text(`${Array.from({ length: 60 }, (_, column) => `c${column}`).join(',')}\n`.repeat(3), 'wide.csv'));
    expect(warnings).toEqual(['Sheet "wide" has more than 50 columns; those to the right were left out.']);
  });

  it('mail in thousands of parts, and mail nested without end', async () => {
    await tooLarge(text(`Subject: x\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="b"\r\n\r\n${'--b\r\n\r\nhi\r\n'.repeat(2_000)}--b--`, 'parts.eml'), /^The message has more than 1,000 parts/);
    const nested = Array.from({ length: 2_000 }, (_, level) => `Content-Type: multipart/mixed; boundary="b${level}"\r\n\r\n--b${level}\r\n`).join('');
    await tooLarge(text(`Subject: x\r\n${nested}\r\nhi`, 'nested.eml'), /nested too deeply/);
  });

  it('Markdown that makes readers backtrack', async () => {
    for (const unit of ['>', '[', '*a **b ', '[a](<b', '`', '| ', '# ', '- ', '![']) {
      expect((await parsed(text(unit.repeat(100_000 / unit.length), 'marks.md'))).text.length).toBeGreaterThan(90_000);
    }
  });

  it('front matter with aliases that multiply', async () => {
    const aliases = ['a: &a0 [x,x,x,x,x,x,x,x,x]', ...Array.from({ length: 12 }, (_, level) => `b${level}: &a${level + 1} [${`*a${level},`.repeat(9)}]`)].join('\n');
    const { warnings, text: words } = await parsed(text(`---\n${aliases}\n---\n\nThe text.\n`, 'aliases.md'));
    expect(words).toBe('The text.\n');
    expect(warnings).toEqual(['The front matter is not valid YAML and was left out.']);
  });

  it('text of one endless line', async () => {
    expect((await parsed(text('a'.repeat(1_500_000), 'line.txt'))).text).toHaveLength(1_500_000);
    await tooLarge(text('a'.repeat(2_500_000), 'line.txt'), /^The file holds 2,500,000 characters of text; at most 2,000,000 are allowed\.$/);
  });
});
