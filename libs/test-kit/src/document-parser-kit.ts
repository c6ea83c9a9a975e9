import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DocumentParser, ParsedDocument, ParseInput, ParseOutcome } from '@palimpsest/knowledge/ports';
import { PARSE_FAILURES } from '@palimpsest/knowledge/ports';
import fc from 'fast-check';
import { anyText } from './any-text.ts';
import { swellingDocx } from './swelling-docx.ts';

/** Limits for the parser under test, small enough for a test to reach both. */
export type DocumentParserCaps = Readonly<{ timeoutMs: number; maxRssBytes: number }>;

const CAPS: DocumentParserCaps = { timeoutMs: 20_000, maxRssBytes: 300_000_000 };
/** Time limit for a hostile file: the cap, the start of a process, and a busy machine. */
const PATIENCE_MS = 45_000;

const utf8 = (text: string, fileName: string): ParseInput => ({ bytes: new TextEncoder().encode(text), fileName });

const GOOD = utf8(
  '---\ntitle: The keeper\n---\n# One\n\nThe first section has some words.\n\nTwo\n---\n\nThe second one, too.\n',
  'keeper.md',
);

const parsed = (outcome: ParseOutcome): ParsedDocument => {
  if (outcome.outcome !== 'parsed') throw new Error(`rejected as ${outcome.reason}: ${outcome.detail}`);
  return outcome.document;
};

/** Whether a rejection has a known reason and a sentence as detail. */
const isValidOutcome = (outcome: ParseOutcome): boolean =>
  outcome.outcome === 'parsed' || (PARSE_FAILURES.includes(outcome.reason) && /^[A-Z].{5,}\.$/s.test(outcome.detail));

const ascends = (numbers: readonly number[]): boolean =>
  numbers.every((number, index) => index === 0 || number >= (numbers[index - 1] ?? 0));

/** Checks everything that the types guarantee about offsets. */
function expectSoundOffsets({ text, headings, pages, sheets }: ParsedDocument): void {
  expect(/\p{Surrogate}/u.test(text)).toBe(false);
  expect(text).not.toMatch(/\r/);
  expect(ascends(headings.flatMap(({ start, end }) => [start, end]))).toBe(true);
  for (const { level, start, end } of headings) {
    expect([1, 2, 3, 4, 5, 6]).toContain(level);
    expect(text.slice(start, end)).toMatch(/\S$/);
    expect(end).toBeLessThanOrEqual(text.length);
    expect(start === 0 || text[start - 1] === '\n').toBe(true);
  }
  expect(ascends(pages.map(({ start }) => start))).toBe(true);
  expect(pages.map(({ number }) => number)).toEqual(pages.map((_, index) => index + 1));
  for (const { start, end, header, rowStarts } of sheets) {
    expect(text.slice(start, start + header.length)).toBe(header);
    expect(ascends([start, ...rowStarts, end])).toBe(true);
  }
}

/** The contract of `DocumentParser`. `open` returns a new parser with these caps; the kit closes it. */
export const describeDocumentParser = (name: string, open: (caps: DocumentParserCaps) => Promise<DocumentParser>): void =>
  describe(`DocumentParser: ${name}`, () => {
    let parser: DocumentParser;
    beforeAll(async () => {
      parser = await open(CAPS);
    });
    afterAll(() => parser.close());

    it('turns a file into text with headings, title, language and metadata', async () => {
      const document = parsed(await parser.parse(GOOD));
      expect(document).toMatchObject({
        kind: 'markdown',
        mediaType: 'text/markdown',
        title: 'The keeper',
        metadata: { title: 'The keeper' },
        pages: [],
        sheets: [],
      });
      expect(document.headings.map(({ level, title, start, end }) => [level, title, document.text.slice(start, end)])).toEqual([
        [1, 'One', '# One'],
        [2, 'Two', 'Two\n---'],
      ]);
      expectSoundOffsets(document);
    });

    it('returns the header of a table and the start of each row', async () => {
      const document = parsed(await parser.parse(utf8('Ship,Tons\nAurora,1200\nStella,300\n', 'ships.csv')));
      expect(document.kind).toBe('sheets');
      expectSoundOffsets(document);
      const [sheet] = document.sheets;
      expect(sheet?.rowStarts.map((start) => document.text.slice(start).split('\n', 1)[0])).toEqual([
        expect.stringContaining('Aurora'),
        expect.stringContaining('Stella'),
      ]);
      expect(sheet?.header).toContain('Ship');
    });

    it('detects the type of a file by its bytes, not by its name', async () => {
      const page = utf8('<!DOCTYPE html><html><body><h1>Lamp</h1><p>It burns.</p></body></html>', 'lamp.txt');
      expect(parsed(await parser.parse(page))).toMatchObject({ mediaType: 'text/html', title: 'Lamp' });
      expect(
        await parser.parse({ bytes: Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13), fileName: 'notes.md' }),
      ).toMatchObject({ reason: 'unsupported' });
    });

    it('returns the same document for the same bytes', async () => {
      expect(await parser.parse(GOOD)).toEqual(await parser.parse({ ...GOOD, bytes: GOOD.bytes.slice() }));
    });

    it('does not modify the given bytes', async () => {
      const before = GOOD.bytes.slice();
      await parser.parse(GOOD);
      expect(GOOD.bytes).toEqual(before);
    });

    it('returns valid offsets and well-formed text for any text', async () => {
      const lines = fc.array(
        fc.oneof(fc.constantFrom('# a', '---', '===', '```', '> q', '- l', '', 'a,b', '|a|b|', '|-|-|', '<p>'), anyText({ maxLength: 20 })),
        { maxLength: 12 },
      );
      const extension = fc.constantFrom('md', 'txt', 'csv', 'html', 'eml', 'json', '');
      await fc.assert(
        fc.asyncProperty(lines, extension, async (content, ending) => {
          const outcome = await parser.parse(utf8(content.join('\n'), `any.${ending}`));
          expect(isValidOutcome(outcome)).toBe(true);
          if (outcome.outcome === 'parsed') expectSoundOffsets(outcome.document);
        }),
        { numRuns: 100 },
      );
    });

    it('returns an outcome for any bytes', async () => {
      const starts = fc.constantFrom(
        '',
        '%PDF-1.5\n',
        'PK\u0003\u0004',
        '\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1',
        '{\\rtf1 ',
        '\xFF\xFE',
        '<html>',
      );
      await fc.assert(
        fc.asyncProperty(starts, fc.uint8Array({ maxLength: 300 }), async (start, rest) => {
          expect(isValidOutcome(await parser.parse({ bytes: Buffer.concat([Buffer.from(start, 'latin1'), rest]) }))).toBe(true);
        }),
        { numRuns: 100 },
      );
    });

    it('reports why an empty, a binary and a broken file are rejected', async () => {
      expect(await parser.parse(utf8('', 'a.md'))).toMatchObject({ outcome: 'rejected', reason: 'empty' });
      expect(await parser.parse({ bytes: Uint8Array.from({ length: 400 }, (_, index) => index % 256), fileName: 'a.bin' })).toMatchObject({
        reason: 'unsupported',
      });
      expect(await parser.parse({ bytes: Buffer.from('%PDF-1.7\nnothing more'), fileName: 'a.pdf' })).toMatchObject({ reason: 'corrupt' });
      expect(await parser.parse({ bytes: Buffer.from('PK\u0003\u0004 cut off'), fileName: 'a.docx' })).toMatchObject({ reason: 'corrupt' });
    });

    it('reads text that is not UTF-8, with a warning', async () => {
      const bytes = Buffer.from('Die Wärterin führt über jedes Schiff Buch, damit später niemand fragen muß.', 'latin1');
      const document = parsed(await parser.parse({ bytes, mediaType: 'text/plain' }));
      expect(document.text).toContain('Wärterin führt über');
      expect(document.warnings).toEqual([expect.stringContaining('UTF-8')]);
    });

    it(
      'rejects a container that expands too much, by its claimed and its real size, and continues',
      async () => {
        const honest = swellingDocx(40_000_000, 40_000_000);
        const lying = swellingDocx(400_000_000, 5_000);
        const results = await Promise.all([parser.parse(honest), parser.parse(lying), parser.parse(GOOD)]);
        expect(results[0]).toMatchObject({ outcome: 'rejected', reason: 'too-large' });
        expect(results[1].outcome).toBe('rejected');
        expect(results.every(isValidOutcome)).toBe(true);
        expect(results[2].outcome).toBe('parsed');
        expect((await parser.parse(GOOD)).outcome).toBe('parsed');
      },
      PATIENCE_MS,
    );

    it('does not mix files that are parsed concurrently', async () => {
      const texts = Array.from({ length: 20 }, (_, index) => `# Document ${index}\n\nIts number is ${index}.\n`);
      const outcomes = await Promise.all(texts.map((text, index) => parser.parse(utf8(text, `${index}.md`))));
      expect(outcomes.map((outcome) => parsed(outcome).title)).toEqual(texts.map((_, index) => `Document ${index}`));
    });

    it('stops with the reason of its signal, before and during the work, and continues', async () => {
      await expect(parser.parse(GOOD, AbortSignal.abort(new Error('not wanted')))).rejects.toThrow('not wanted');
      const controller = new AbortController();
      const many = Array.from({ length: 6 }, () => parser.parse(GOOD, controller.signal));
      controller.abort(new Error('changed my mind'));
      const results = await Promise.allSettled(many);
      expect(results).toEqual(many.map(() => ({ status: 'rejected', reason: new Error('changed my mind') })));
      expect((await parser.parse(GOOD)).outcome).toBe('parsed');
    });

    it('rejects calls once closed', async () => {
      const closed = await open(CAPS);
      await closed.close();
      await expect(closed.parse(GOOD)).rejects.toThrow();
      await closed.close();
    });
  });
