import fc from 'fast-check';
import { anyText } from '../../test/chunker-kit.ts';
import { aDocument, wordWindow } from '../../test/documents.ts';
import { characters, tokensOf } from '../chunking/budget.ts';
import { codeChunker } from '../chunking/code-chunker.ts';
import { tokenChunker } from '../chunking/token-chunker.ts';
import { textOfVersion } from './version-text.ts';

const normal = (text: string): string => text.replaceAll(/\r\n?/g, '\n');
const at = (start: number, text: string, fromLine = 1) => ({ start, end: start + text.length, fromLine, text });

describe('The text of a version', () => {
  it('has the text of overlapping chunks once', () =>
    expect(textOfVersion([at(0, 'one two three'), at(8, 'three four'), at(14, 'four five')])).toBe('one two three four five\n'));

  it('is empty without chunks, and otherwise ends with one line end', () => {
    expect(textOfVersion([])).toBe('');
    expect(textOfVersion([at(0, 'a\n')])).toBe('a\n');
  });

  it('keeps the line numbers of the document where chunks are missing or blanks were trimmed', () =>
    expect(textOfVersion([at(2, 'three', 3), at(50, '\n  seven', 7), at(70, 'same line', 7)])).toBe(
      '\n\nthree\n\n\n\n  seven same line\n',
    ));

  it('takes a text as it is if it does not have the length of its place', () =>
    expect(textOfVersion([at(0, 'one two'), { ...at(4, 'two three'), text: 'other' }])).toBe('one twoother\n'));

  it.each([
    ['tokens', tokenChunker(tokensOf(wordWindow(500), 40), { overlap: 8, minTokens: 12 })],
    ['code', codeChunker(characters(200), 60)],
  ] as const)('has every line of the document in its place, whatever the document, with overlapping chunks of %s', (_, chunker) =>
    fc.assert(
      fc.property(anyText, (text) => {
        const chunks = chunker.chunk(aDocument({ kind: 'text', text }));
        const made = textOfVersion(chunks.map(({ start, end, lines, text: of }) => ({ start, end, fromLine: lines.from, text: of })));
        // Line breaks between chunks are exact; other blanks there may be missing.
        const withoutBlanks = (of: string) =>
          normal(of)
            .replaceAll(/[^\S\n]+/g, '')
            .trimEnd();
        expect(withoutBlanks(made)).toBe(withoutBlanks(text));
      }),
      { numRuns: 100 },
    ),
  );
});
