import { aDocument, aMarkdown, aWorkbook, characterCounter, wordCounter } from '../../test/documents.ts';
import { describeChunker } from '../../test/chunker-kit.ts';
import { chunkingSettings } from './chunking-settings.ts';
import { codeChunker } from './code-chunker.ts';
import { markdownChunker } from './markdown-chunker.ts';
import { LONGEST_TOKEN } from './ruler.ts';
import { sheetChunker } from './sheet-chunker.ts';
import { tokenChunker } from './token-chunker.ts';

const MAX_CHARS = 240;
const TOKENS = { maxTokens: 40, overlap: 8, minTokens: 12 };

describeChunker('markdownChunker', {
  open: () => markdownChunker({ maxChars: MAX_CHARS }),
  parse: (text) => aMarkdown(text),
  fits: ({ text }) => text.length <= MAX_CHARS,
});

describeChunker('markdownChunker by default', {
  open: () => markdownChunker(chunkingSettings().markdown),
  parse: (text) => aMarkdown(text),
  fits: ({ text }) => text.length <= 1_500,
});

describeChunker('tokenChunker, a word being a token', {
  open: () => tokenChunker(TOKENS, wordCounter),
  parse: (text) => aDocument({ kind: 'text', text }),
  fits: ({ text }) => wordCounter.count(text) <= TOKENS.maxTokens && text.length <= TOKENS.maxTokens * LONGEST_TOKEN,
});

describeChunker('tokenChunker, a character being a token', {
  open: () => tokenChunker(TOKENS, characterCounter),
  parse: (text) => aDocument({ kind: 'text', text }),
  fits: ({ text }) => characterCounter.count(text) <= TOKENS.maxTokens,
});

describeChunker('sheetChunker', {
  open: () => sheetChunker({ maxChars: MAX_CHARS }),
  parse: (text) => {
    const lines = text.split('\n');
    return aWorkbook(
      { name: 'First', header: lines[0] ?? '', rows: lines.slice(1, lines.length / 2) },
      { name: 'Second', header: 'a,b,c', rows: lines.slice(lines.length / 2) },
    );
  },
  fits: ({ text }) => text.length <= MAX_CHARS,
});

describeChunker('codeChunker', {
  open: () => codeChunker({ maxChars: MAX_CHARS, overlap: 40 }),
  parse: (text) => aDocument({ kind: 'code', text }),
  fits: ({ text }) => text.length <= MAX_CHARS,
});

describeChunker('codeChunker with symbols', {
  open: () => codeChunker({ maxChars: MAX_CHARS, overlap: 40 }),
  parse: (text) => ({ ...aMarkdown(text), kind: 'code' }),
  fits: ({ text }) => text.length <= MAX_CHARS,
});
