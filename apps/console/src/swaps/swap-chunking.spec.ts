import { chunkingIn, chunkingText, PRESENT } from './swap-chunking.ts';

describe('the chunking of a generation', () => {
  it.each([
    [undefined, 'of each knowledge base'],
    [{}, 'the same for all knowledge bases'],
    [{ markdown: { maxChars: 800 } }, 'Prose: maximum characters per chunk: 800'],
    [{ tokens: { maxTokens: 200, overlap: 20 } }, 'Plain text: maximum tokens per chunk: 200; Plain text: overlap in tokens: 20'],
  ])('%j is "%s"', (chunking, text) => expect(chunkingText(chunking as never)).toBe(text));
});

describe('the chunks that a swap is asked for', () => {
  it('are left out if they stay as they are', () => expect(chunkingIn(PRESENT)).toEqual({}));
  it('are those of each knowledge base, or the entered numbers', () => {
    expect(chunkingIn({ kind: 'knowledge-base', numbers: { 'code.overlap': '7' } })).toEqual({ chunking: 'knowledge-base' });
    expect(chunkingIn({ kind: 'settings', numbers: { 'markdown.maxChars': ' 800 ' } })).toEqual({
      chunking: { markdown: { maxChars: 800 } },
    });
  });
});
