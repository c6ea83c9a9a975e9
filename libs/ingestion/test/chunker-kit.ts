import fc from 'fast-check';
import type { ParsedDocument } from '@palimpsest/knowledge/ports';
import { anyText as anyCharacters } from '@palimpsest/test-kit';
import type { ChunkDraft, Chunker } from '../src/chunking/chunk-draft.ts';

type Subject = Readonly<{
  open: () => Chunker;
  /** Gives a text the structure that the chunker is designed for. */
  parse: (text: string) => ParsedDocument;
  /** Whether the chunk keeps the size limit. */
  fits: (chunk: ChunkDraft) => boolean;
}>;

const word = fc.string({ unit: fc.constantFrom('a', 'b', 'E', 'é', 'ß', '語'), minLength: 1, maxLength: 12 });
const sentence = fc
  .tuple(fc.array(word, { minLength: 1, maxLength: 20 }), fc.constantFrom('. ', '? ', '.\n', '; ', '。', ' '))
  .map(([words, stop]) => words.join(' ') + stop);
const fragment = fc.oneof(
  { weight: 8, arbitrary: sentence },
  fc.constantFrom('\n\n', '\r\n', '\r', '\n    ', '\t', '\f', ' '.repeat(300), '\n'.repeat(50), '\u3000'),
  fc.constantFrom(
    '# One\n',
    '## Two\n\n',
    '### Three\n',
    '#### \n',
    '```js\nlet a;\n\nlet b;\n```\n',
    '| a | b |\n|---|---|\n| 1 | 2 |\n',
    '~~~\n',
    '- item\n',
    'x|y\n',
  ),
  fc.constantFrom(
    '😀'.repeat(40),
    '👩‍👩‍👧‍👦'.repeat(9),
    'e\u0301\u0302\u0303',
    '\ud83d',
    '\ude00',
    '語'.repeat(400),
    'a'.repeat(700),
    '-'.repeat(900),
  ),
  anyCharacters({ maxLength: 20 }),
);
/** Prose, structure, and content that no author writes but some files contain. */
export const anyText = fc.array(fragment, { maxLength: 60 }).map((fragments) => fragments.join(''));

const MEGABYTE = 1_000_000;
const HOSTILE: readonly (readonly [string, string])[] = [
  ['without blanks or line ends', 'x'.repeat(MEGABYTE)],
  ['of blanks around one word', `${' '.repeat(MEGABYTE / 2)}x${' '.repeat(MEGABYTE / 2)}`],
  ['of line ends', `a${'\n'.repeat(MEGABYTE)}b`],
  ['of emoji', '😀'.repeat(MEGABYTE / 4)],
  ['of combining marks', `e${'\u0301'.repeat(MEGABYTE / 2)}`],
  ['of headings', '# h\n'.repeat(200_000)],
  ['of open fences', '```\n\n'.repeat(100_000)],
  ['of table rows', '| a | b |\n'.repeat(100_000)],
  ['of full stops', '. '.repeat(MEGABYTE / 2)],
];

const cutsPair = (text: string, at: number): boolean => /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(at - 1, at + 1));

/** The first non-blank offset that no chunk covers. */
const uncovered = (text: string, chunks: readonly ChunkDraft[]): number | undefined => {
  let covered = 0;
  for (const { start, end } of [...chunks, { start: text.length, end: text.length }]) {
    const gap = text.slice(covered, start).search(/\S/);
    if (gap >= 0) return covered + gap;
    covered = Math.max(covered, end);
  }
  return undefined;
};

const lineOf = (text: string, offset: number): number => text.slice(0, offset).split(/\r\n|\n|\r/).length;

/** Checks the guarantees of `Chunker` on random and on hostile documents. */
export const describeChunker = (name: string, { open, parse, fits }: Subject): void =>
  describe(`${name} keeps the guarantees of a Chunker`, () => {
    const chunker = open();
    const everyDocument = (holds: (chunks: readonly ChunkDraft[], document: ParsedDocument) => unknown): void =>
      fc.assert(
        fc.property(anyText, (text) => {
          const document = parse(text);
          return holds(chunker.chunk(document), document) !== false;
        }),
        { numRuns: 100 },
      );

    it('numbers the chunks without gaps and gives their number', () =>
      everyDocument((chunks) => chunks.every(({ index, of }, at) => index === at && of === chunks.length)));
    it('returns the text between the offsets', () =>
      everyDocument((chunks, { text }) => chunks.every((chunk) => chunk.text === text.slice(chunk.start, chunk.end))));
    it('returns no blank chunk', () => everyDocument((chunks) => chunks.every(({ text }) => text.trim() !== '')));
    it('loses no non-blank character', () => everyDocument((chunks, { text }) => expect(uncovered(text, chunks)).toBeUndefined()));
    it('keeps starts and ends ascending', () =>
      everyDocument((chunks) =>
        chunks.every((chunk, at) => at === 0 || ((chunks[at - 1]?.start ?? 0) < chunk.start && (chunks[at - 1]?.end ?? 0) < chunk.end)),
      ));
    it('splits no surrogate pair', () =>
      everyDocument((chunks, { text }) => chunks.every(({ start, end }) => !cutsPair(text, start) && !cutsPair(text, end))));
    it('keeps the size limit', () => everyDocument((chunks) => chunks.every(fits)));
    it('gives the lines of a chunk', () =>
      everyDocument((chunks, { text }) => {
        for (const { start, end, lines } of chunks)
          expect(lines).toEqual({ from: lineOf(text, start + text.slice(start).search(/\S/)), to: lineOf(text, end - 1) });
      }));
    it('splits the same document the same way, also with a new chunker', () =>
      everyDocument((chunks, document) => expect(open().chunk(structuredClone(document))).toEqual(chunks)));
    it('returns no chunk for a blank document', () =>
      expect(chunker.chunk({ ...parse(''), text: ' \n\t\n', headings: [], sheets: [] })).toEqual([]));
    it('limits prefix and titles, however long they are in the document', () => {
      const document = { ...parse('some text'), title: 'T'.repeat(10_000) };
      expect(chunker.chunk(document).every(({ contextPrefix }) => contextPrefix.length <= 2_500)).toBe(true);
    });

    it.each(HOSTILE)('terminates and loses nothing on a megabyte %s', (_, hostile) => {
      const document = parse(hostile);
      const chunks = chunker.chunk(document);
      expect(uncovered(document.text, chunks)).toBeUndefined();
      expect(chunks.every(fits)).toBe(true);
      expect(chunks.reduce((total, chunk) => total + chunk.text.length, 0)).toBeLessThan(2 * document.text.length);
    });
  });
