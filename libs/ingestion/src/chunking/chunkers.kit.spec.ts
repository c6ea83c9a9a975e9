import { LONGEST_TOKEN } from '@palimpsest/foundation';
import type { ParsedDocument, TextWindow } from '@palimpsest/knowledge/ports';
import { aDocument, aMarkdown, aWorkbook, characterWindow, wordWindow } from '../../test/documents.ts';
import { describeChunker } from '../../test/chunker-kit.ts';
import { characters, tokensOf, windowOf } from './budget.ts';
import type { ChunkDraft } from './chunk-draft.ts';
import { codeChunker } from './code-chunker.ts';
import { markdownChunker } from './markdown-chunker.ts';
import { sheetChunker } from './sheet-chunker.ts';
import { tokenChunker } from './token-chunker.ts';

const MAX_CHARS = 240;
const TOKENS = { maxTokens: 40, overlap: 8, minTokens: 12 };
const WORDS = wordWindow(48);
const CHARACTERS = characterWindow(180);

/** The chunk fits with its prefix, unless the prefix alone fills most of the window. */
const fitsInto =
  (window: TextWindow) =>
  ({ text, contextPrefix }: ChunkDraft): boolean => {
    const prefix = window.count(contextPrefix);
    const room = Math.max(Math.ceil(window.tokens / 2), window.tokens - prefix);
    return window.count(text) <= room && text.length <= window.tokens * LONGEST_TOKEN;
  };

const workbookOf = (text: string): ParsedDocument => {
  const lines = text.split('\n');
  return aWorkbook(
    { name: 'First', header: lines[0] ?? '', rows: lines.slice(1, lines.length / 2) },
    { name: 'Second', header: 'a,b,c', rows: lines.slice(lines.length / 2) },
  );
};

describeChunker('markdownChunker', {
  open: () => markdownChunker(characters(MAX_CHARS)),
  parse: (text) => aMarkdown(text),
  fits: ({ text }) => text.length <= MAX_CHARS,
});

describeChunker('tokenChunker (a word is a token)', {
  open: () => tokenChunker(tokensOf(WORDS, TOKENS.maxTokens), TOKENS),
  parse: (text) => aDocument({ kind: 'text', text }),
  fits: ({ text }) => WORDS.count(text) <= TOKENS.maxTokens && text.length <= TOKENS.maxTokens * LONGEST_TOKEN,
});

describeChunker('tokenChunker (a character is a token)', {
  open: () => tokenChunker(tokensOf(CHARACTERS, TOKENS.maxTokens), TOKENS),
  parse: (text) => aDocument({ kind: 'text', text }),
  fits: ({ text }) => CHARACTERS.count(text) <= TOKENS.maxTokens,
});

describeChunker('sheetChunker', {
  open: () => sheetChunker(characters(MAX_CHARS)),
  parse: workbookOf,
  fits: ({ text }) => text.length <= MAX_CHARS,
});

describeChunker('codeChunker', {
  open: () => codeChunker(characters(MAX_CHARS), 40),
  parse: (text) => aDocument({ kind: 'code', text }),
  fits: ({ text }) => text.length <= MAX_CHARS,
});

describeChunker('codeChunker with symbols', {
  open: () => codeChunker(characters(MAX_CHARS), 40),
  parse: (text) => ({ ...aMarkdown(text), kind: 'code' }),
  fits: ({ text }) => text.length <= MAX_CHARS,
});

for (const [unit, window] of [
  ['a word', WORDS],
  ['a character', CHARACTERS],
] as const) {
  const fits = fitsInto(window);
  const suffix = `within a model's window (${unit} is a token)`;
  describeChunker(`markdownChunker ${suffix}`, { open: () => markdownChunker(windowOf(window)), parse: (text) => aMarkdown(text), fits });
  describeChunker(`tokenChunker ${suffix}`, {
    open: () => tokenChunker(windowOf(window)),
    parse: (text) => aDocument({ kind: 'text', text, title: 'A title' }),
    fits,
  });
  describeChunker(`sheetChunker ${suffix}`, { open: () => sheetChunker(windowOf(window)), parse: workbookOf, fits });
  describeChunker(`codeChunker ${suffix}`, {
    open: () => codeChunker(windowOf(window)),
    parse: (text) => ({ ...aMarkdown(text), kind: 'code' }),
    fits,
  });
}
