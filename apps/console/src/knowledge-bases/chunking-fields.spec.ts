import { chunkingOf, numbersOf } from './chunking-fields.ts';

const chunking = {
  markdown: { maxChars: 1500 },
  tokens: { maxTokens: 500, overlap: 50, minTokens: 100 },
  sheets: { maxChars: 1500 },
  code: { maxChars: 1500, overlap: 200 },
};

describe('the numbers of a chunking configuration', () => {
  it('survive a round trip through the form', () => expect(chunkingOf(numbersOf(chunking))).toEqual(chunking));
  it('are left to the server’s defaults when empty', () => {
    expect(chunkingOf(numbersOf({}))).toEqual({});
    expect(chunkingOf({ 'tokens.overlap': ' 20 ' })).toEqual({ tokens: { overlap: 20 } });
  });
  it('are sent as entered when they are not numbers', () =>
    expect(chunkingOf({ 'code.overlap': 'a lot' })).toEqual({ code: { overlap: 'a lot' } }));
});
