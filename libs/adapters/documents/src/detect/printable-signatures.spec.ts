import { readFileSync } from 'node:fs';
import type { ParseInput } from '@palimpsest/knowledge/ports';
import { parseFile } from '../parse-file.ts';
import { DEFAULT_LIMITS } from '../parser-limits.ts';

type Naming = Omit<ParseInput, 'bytes'>;

/** The detected media type of a file with its text, or the reason for its rejection. */
const readAs = async (bytes: string | Uint8Array, naming: Naming): Promise<Readonly<{ as: string; text: string }>> => {
  const outcome = await parseFile({ ...naming, bytes: typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes }, DEFAULT_LIMITS);
  return outcome.outcome === 'parsed'
    ? { as: outcome.document.mediaType, text: outcome.document.text }
    : { as: outcome.reason, text: outcome.detail };
};

const REPORT = readFileSync(new URL('../../test/fixtures/report.pdf', import.meta.url));

/** A PDF with printable characters only. */
const PRINTABLE_PDF = `%PDF-1.4
1 0 obj
<< /Type /Catalog /Pages 2 0 R >>
endobj
2 0 obj
<< /Type /Pages /Kids [3 0 R] /Count 1 >>
endobj
3 0 obj
<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 144] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>
endobj
4 0 obj
<< /Length 44 >>
stream
BT /F1 18 Tf 20 100 Td (The lamp burns) Tj ET
endstream
endobj
5 0 obj
<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>
endobj
trailer
<< /Root 1 0 R >>
%%EOF
`;

describe('A text about PDF', () => {
  it.each<[string, Naming, string]>([
    ['# Files\n\nA PDF begins with %PDF-1.7 and ends with %%EOF.', { fileName: 'files.md' }, 'text/markdown'],
    ['%PDF-1.7 is how a PDF begins. An obj is a part of it.', { fileName: 'files.md' }, 'text/markdown'],
    ['HEADER = b"%PDF-1.4\\n"\nBODY = "1 0 obj"\nEND = "%%EOF"\n', { fileName: 'make.py' }, 'text/x-python'],
    ['PDF = """\n%PDF-1.4\n1 0 obj\nendobj\n%%EOF\n"""\n', { fileName: 'make.py' }, 'text/x-python'],
    ['A file begins with\n%PDF-1.4\n1 0 obj\nand ends with\n%%EOF\n', { mediaType: 'text/plain' }, 'text/plain'],
    ['A PDF begins with %PDF-1.7.', { fileName: 'note.txt', mediaType: 'text/plain; charset=utf-8' }, 'text/plain'],
    ['A PDF begins with %PDF-1.7.', {}, 'text/plain'],
    ['a;b\n%PDF-;1\n', { fileName: 'table.csv' }, 'text/csv'],
  ])('is read as the format of its name or type: %j, %j', async (content, naming, as) => {
    const found = await readAs(content, naming);
    expect(found.as).toBe(as);
    expect(found.text).toContain('%PDF-');
  });
});

describe('A PDF', () => {
  it.each<[string, Naming]>([
    ['its own name', { fileName: 'report.pdf' }],
    ['no name', {}],
    ['the name of a text', { fileName: 'report.txt', mediaType: 'text/plain' }],
    ['the name of a program', { fileName: 'report.py' }],
  ])('is read as PDF under %s', async (_name, naming) => {
    expect((await readAs(REPORT, naming)).as).toBe('application/pdf');
    expect(await readAs(PRINTABLE_PDF, naming)).toMatchObject({ as: 'application/pdf', text: expect.stringContaining('The lamp burns') });
  });

  it.each([
    ['blank lines', '\r\n\r\n'],
    ['a byte order mark', '\xEF\xBB\xBF'],
    ['the head of an HTTP response', 'HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\n\r\n'],
    ['zeros', '\0'.repeat(100)],
  ])('may have %s before its header', async (_name, before) => {
    for (const pdf of [REPORT, Buffer.from(PRINTABLE_PDF)])
      for (const fileName of ['report.pdf', 'download'])
        expect((await readAs(Buffer.concat([Buffer.from(before, 'latin1'), pdf]), { fileName })).as).toBe('application/pdf');
  });

  it('that is damaged is rejected if it is named as PDF or contains binary data', async () => {
    expect((await readAs('%PDF-1.7 and no more', { fileName: 'report.pdf' })).as).toBe('corrupt');
    expect((await readAs('%PDF-1.7 and no more', { mediaType: 'application/pdf' })).as).toBe('corrupt');
    expect((await readAs('%PDF-1.7\n\0\x01\x02', { fileName: 'report.txt' })).as).toBe('corrupt');
  });
});

describe('A text about another format', () => {
  it.each<[string, Naming, string]>([
    ['{\\rtf1 is how RTF begins}\n\n# Title', { fileName: 'rtf.md' }, 'text/markdown'],
    ['{\\rtf1\\ansi hello} is RTF', { fileName: 'rtf.txt' }, 'text/plain'],
    ['<html> is the root element.\n\n# Title', { fileName: 'html.md' }, 'text/markdown'],
    ['<!DOCTYPE html> is how a page begins.', { fileName: 'html.txt' }, 'text/plain'],
    ['{"a": 1} is JSON', { fileName: 'json.md' }, 'text/markdown'],
    ['<?xml version="1.0"?> begins XML', { fileName: 'xml.md' }, 'text/markdown'],
    ['PK begins a zip', { fileName: 'zip.txt' }, 'text/plain'],
    ['From: Ann\nTo: Bob\nSubject: Lamps\n\nwords', { fileName: 'memo.txt' }, 'text/plain'],
    ['From ann@example.org Mon Jan 1 00:00:00\nSubject: Lamps\n\nwords', { fileName: 'mailbox.md' }, 'text/markdown'],
  ])('is read as the format of its name or type: %j, %j', async (content, naming, as) => {
    expect((await readAs(content, naming)).as).toBe(as);
  });

  it.each<[string, string]>([
    ['{\\rtf1\\ansi The lamp burns}\0', 'application/rtf'],
    ['<!-- saved -->\n<!doctype html><html><body><p>The lamp burns</p></body></html>', 'text/html'],
  ])('is distinguished from a file in that format: %j', async (content, as) => {
    for (const fileName of ['lamp.txt', 'lamp.md', 'lamp'])
      expect(await readAs(content, { fileName })).toMatchObject({ as, text: expect.stringContaining('The lamp burns') });
  });
});
