import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import fc from 'fast-check';
import type { TextWindow } from '@palimpsest/knowledge/ports';
import { anyText } from '../../test/chunker-kit.ts';
import { aDocument, wordWindow } from '../../test/documents.ts';
import { tokensOf, windowOf } from './budget.ts';
import { tokenChunker } from './token-chunker.ts';

const text = (of: string) => aDocument({ kind: 'text', text: of });
const RULES = { maxTokens: 40, overlap: 8, minTokens: 12 };
const plainWords = (count: number): string => Array.from({ length: count }, (_, at) => `w${at}`).join(' ');
const sentences = (count: number): string => Array.from({ length: count }, (_, at) => `This is sentence ${at}.`).join(' ');

/** A real vocabulary, in which splitting a word can change its tokens. */
const o200k: TextWindow = {
  tokenizer: 'o200k_base',
  tokens: 500,
  count: (of) => (of.match(/\S+/gu) ?? []).reduce((sum, word) => sum + countTokens(word, { disallowedSpecial: new Set() }), 0),
};
const WORDS = wordWindow(500);

describe('The token chunker', () => {
  const chunker = tokenChunker(tokensOf(WORDS, RULES.maxTokens), RULES);

  it('names counter and sizes in its version', () => {
    expect(tokenChunker(tokensOf(o200k, 500), { overlap: 50, minTokens: 100 }).version).toBe('tokens@2/o200k-base-500-50-100');
    expect(tokenChunker(windowOf(o200k)).version).toBe('tokens@2/o200k-base-window-500');
  });

  it('keeps a short document whole', () => {
    expect(chunker.chunk(text(plainWords(40)))).toHaveLength(1);
  });

  it('fills its windows where there is no better boundary, and repeats the overlap', () => {
    const chunks = chunker.chunk(text(plainWords(72)));
    expect(chunks.map((chunk) => chunk.text.split(' ').length)).toEqual([40, 40]);
    expect(chunks[1]?.text).toMatch(/^w32 .* w71$/);
  });

  it('counts a long text in many small steps, each word once', () => {
    let counted = 0;
    const counting = { ...WORDS, count: (of: string) => (counted++, WORDS.count(of)) };
    const steps = tokenChunker(tokensOf(counting, RULES.maxTokens), RULES).steps(text(plainWords(100_000)));
    let max = 0;
    for (let before = 0, step = steps.next(); step.done !== true; step = steps.next()) {
      max = Math.max(max, counted - before);
      before = counted;
    }
    expect(max).toBeLessThan(1_000);
    expect(counted).toBeLessThan(150_000);
  });

  it('ends windows at sentences, and starts the overlap with one', () => {
    const chunks = chunker.chunk(text(sentences(40)));
    expect(chunks.every((chunk) => /^This is .*\d\.$/.test(chunk.text))).toBe(true);
    expect(chunks.slice(1).every((chunk, at) => chunk.start < (chunks[at]?.end ?? 0))).toBe(true);
  });

  it('prefers the end of a paragraph to that of a sentence', () => {
    const chunks = chunker.chunk(text(`${sentences(9)}\n\n${sentences(20)}`));
    expect(chunks[0]?.text).toBe(sentences(9));
  });

  it.each([41, 45, 52, 60])('leaves no tail shorter than the minimum, as with %i words', (count) => {
    const chunks = chunker.chunk(text(plainWords(count)));
    expect(chunks).toHaveLength(2);
    expect(WORDS.count(chunks[1]?.text ?? '')).toBeGreaterThanOrEqual(RULES.minTokens);
  });

  it('never repeats more than the overlap', () =>
    fc.assert(
      fc.property(anyText, (any) =>
        chunker.chunk(text(any)).every((chunk, at, chunks) => {
          const previous = chunks[at - 1];
          return previous === undefined || WORDS.count(any.slice(chunk.start, previous.end)) <= RULES.overlap;
        }),
      ),
    ));

  it('keeps the limit with a real vocabulary, where splitting changes tokens', () => {
    const chunks = tokenChunker(tokensOf(o200k, RULES.maxTokens), RULES).chunk(
      text(`${sentences(60)} ${'internationalisation'.repeat(40)} ${'=-'.repeat(300)} ${'日本語のテキスト。'.repeat(60)}`),
    );
    expect(chunks.length).toBeGreaterThan(10);
    expect(chunks.every((chunk) => o200k.count(chunk.text) <= RULES.maxTokens)).toBe(true);
  });

  it('gives the page that a chunk starts on, and the title', () => {
    const pages = [1, 2, 3].map((number) => ({ number, start: (number - 1) * 400 }));
    const chunks = chunker.chunk(aDocument({ kind: 'text', text: sentences(60), pages, title: 'Annual report' }));
    expect(chunks.every(({ page, start }) => page === Math.min(3, Math.floor(start / 400) + 1))).toBe(true);
    expect(chunks[0]?.contextPrefix).toBe('Annual report');
  });
});
