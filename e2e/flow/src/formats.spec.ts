import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { FileContent } from '@palimpsest/client';
import { expectProblem } from '@palimpsest/e2e-support/ask';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { submitText, uploadFiles } from '@palimpsest/e2e-support/submit';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';

const FIXTURES = fileURLToPath(new URL('../../../libs/adapters/documents/test/fixtures/', import.meta.url));
const fixture = async (name: string): Promise<FileContent> => ({ name, content: await readFile(`${FIXTURES}${name}`) });

/** Each file with a part of its expected media type. */
const READABLE = {
  'notes.md': 'text/markdown',
  'page.html': 'text/html',
  'plain.txt': 'text/plain',
  'latin1.txt': 'text/plain',
  'utf16.txt': 'text/plain',
  'report.pdf': 'application/pdf',
  'report.docx': 'wordprocessingml',
  'report.doc': 'msword',
  'report.odt': 'opendocument.text',
  'letter.rtf': 'rtf',
  'talk.pptx': 'presentationml',
  'ledger.xlsx': 'spreadsheetml',
  'ledger.xls': 'ms-excel',
  'ledger.ods': 'opendocument.spreadsheet',
  'book.epub': 'epub',
  'table.csv': 'csv',
  'semicolon.csv': 'csv',
  'table.tsv': 'tab-separated-values',
  'mail.eml': 'rfc822',
  'html-mail.eml': 'rfc822',
  'mail.msg': 'outlook',
  'data.json': 'json',
  'notebook.ipynb': 'ipynb',
  'module.py': 'python',
  'service.ts': 'typescript',
} as const;

describe('files of every format', () => {
  let platform: PlatformUnderTest;
  beforeAll(async () => {
    platform = await PlatformUnderTest.start(await aDataFolder(), (await EmbeddingStandIn.open()).settings());
  });
  const chunksOf = async (id: string) => (await platform.client.documents.chunks(id)).chunks;

  it('in one upload each become an indexed document with the right media type', async () => {
    const files = await Promise.all(Object.keys(READABLE).map(fixture));
    const submitted = await uploadFiles(platform.client, files, { labels: { from: 'fixtures' } });
    for (const { sourceId, document } of submitted) {
      expect({ sourceId, status: document.status, detail: document.detail }).toEqual({ sourceId, status: 'indexed', detail: undefined });
      expect({ sourceId, mediaType: document.mediaType }).toEqual({
        sourceId,
        mediaType: expect.stringContaining(READABLE[sourceId as keyof typeof READABLE]),
      });
      expect(document).toMatchObject({ labels: { from: 'fixtures' }, chunks: (await chunksOf(document.documentId)).length });
      expect(document.chunks).toBeGreaterThan(0);
    }
    expect(submitted.map(({ sourceId }) => sourceId)).toEqual(Object.keys(READABLE));
  });

  it.each([
    ['password.pdf', 'password'],
    ['password.docx', 'password'],
    ['password.doc', 'password'],
    ['password.odt', 'password'],
    ['scanned.pdf', 'empty'],
    ['archive.zip', 'unsupported'],
  ])('%s fails: %s, with a readable explanation', async (name, reason) => {
    const [submitted] = await uploadFiles(platform.client, [await fixture(name)]);
    expect(submitted?.document).toMatchObject({ status: 'failed', reason, detail: expect.stringMatching(/\w+ \w+ \w+/), chunks: 0 });
    expect(await chunksOf(submitted?.documentId ?? '')).toEqual([]);
  });

  it('a broken file fails as corrupt, and the version that was indexed before stays', async () => {
    const { content } = await fixture('report.docx');
    const [good] = await uploadFiles(platform.client, [{ name: 'breaking.docx', content }]);
    const before = await chunksOf(good?.documentId ?? '');
    const broken = Buffer.from(content as Uint8Array).subarray(0, 900);
    const [bad] = await uploadFiles(platform.client, [{ name: 'breaking.docx', content: broken }]);
    expect(bad).toMatchObject({
      documentId: good?.documentId,
      version: 2,
      document: { status: 'failed', reason: 'corrupt', version: 2, indexedVersion: 1 },
    });
    expect(await chunksOf(good?.documentId ?? '')).toEqual(before);
  });

  it('text that is not UTF-8 is decoded with its own encoding', async () => {
    const sentence = 'Après le dîner, le garçon rêvait déjà d’un château où l’été ne finirait jamais. ';
    const content = Buffer.from(sentence.replaceAll('’', "'").repeat(5), 'latin1');
    const [submitted] = await uploadFiles(platform.client, [{ name: 'french.txt', content }]);
    expect(submitted?.document).toMatchObject({ status: 'indexed', warnings: [expect.stringContaining('not UTF-8')] });
    const texts = (await chunksOf(submitted?.documentId ?? '')).map(({ text }) => text).join('');
    expect(texts).toContain('Après le dîner, le garçon rêvait');
  });

  it('bytes that are not text fail with a reason', async () => {
    const content = Buffer.from(Array.from({ length: 4000 }, (_, i) => (i * 7919 + 13) % 256));
    const [submitted] = await uploadFiles(platform.client, [{ name: 'noise.txt', content }]);
    expect(submitted?.document.status).toBe('failed');
    expect(submitted?.document.detail).toMatch(/\w/);
  });

  it('a name with folders is the source id as a whole', async () => {
    const [submitted] = await uploadFiles(platform.client, [
      { name: 'docs/deep/ünïcode name.md', content: Buffer.from('# Deep\n\nDeep down in the folders.') },
    ]);
    expect(submitted?.document).toMatchObject({ sourceId: 'docs/deep/ünïcode name.md', status: 'indexed' });
  });

  it('an empty file is rejected, the other files of the upload are accepted', async () => {
    const files = [
      { name: 'full.md', content: Buffer.from('Something to read.') },
      { name: 'hollow.md', content: Buffer.alloc(0) },
      { name: 'full-too.md', content: Buffer.from('Something more.') },
    ];
    const { documents } = await platform.client.documents.upload(files);
    expect(documents).toMatchObject([
      { sourceId: 'full.md', status: 'accepted' },
      { sourceId: 'full-too.md', status: 'accepted' },
      { sourceId: 'hollow.md', status: 'rejected', error: { code: 'InvalidValue', detail: expect.stringContaining('empty') } },
    ]);
  });

  it('a text keeps CRLF, emoji and right-to-left words', async () => {
    const text = 'Line one\r\nLine two with 🗼 and שלום\r\n';
    const { documentId } = await submitText(platform.client, { sourceId: 'scripts.txt', text, mediaType: 'text/plain' });
    expect((await chunksOf(documentId)).map((chunk) => chunk.text).join('')).toMatch(/Line two with 🗼 and שלום/);
  });

  it('a form without a file, with one source id for two files, or with a field after a file is refused', async () => {
    const form = (...parts: readonly (readonly [string, string | Blob])[]): FormData => {
      const data = new FormData();
      for (const [name, value] of parts) data.append(name, value);
      return data;
    };
    const file = new File(['Some text.'], 'a.md');
    const post = (body: FormData) => platform.ask('POST /v1/documents', { body });
    expectProblem(await post(form(['title', 'x'])), 400, 'InvalidValue', { field: 'file' });
    expectProblem(await post(form(['sourceId', 'x'], ['file', file], ['file', file])), 400, 'InvalidValue', { field: 'sourceId' });
    expectProblem(await post(form(['file', file], ['sourceId', 'x'])), 400, 'InvalidValue', { field: 'sourceId' });
    expectProblem(await post(form(['nonsense', 'x'], ['file', file])), 400, 'InvalidValue', { field: 'nonsense' });
    expectProblem(await post(form(['labels', '{not json'], ['file', file])), 400, 'InvalidValue', { field: 'labels' });
    expectProblem(await post(form(['labels', '[]'], ['file', file])), 400, 'InvalidValue', { field: 'labels' });
    expectProblem(await post(form(['force', 'yes'], ['file', file])), 400, 'InvalidValue', { field: 'force' });
    expectProblem(await post(form(['origin', 'Dream'], ['file', file])), 400, 'InvalidValue', { field: 'origin' });
  });
});
