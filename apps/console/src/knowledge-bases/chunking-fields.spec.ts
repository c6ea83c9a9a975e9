import { chunkingOf, numbersOf } from './chunking-fields.ts';

const chunking = { markdown: { maxChars: 1500 }, tokens: { maxTokens: 500, overlap: 50, minTokens: 100 }, sheets: { maxChars: 1500 }, code: { maxChars: 1500, overlap: 200 } };

describe('the numbers of a chunking', () => {
  it('come out of a form as they went in', () => expect(chunkingOf(numbersOf(chunking))).toEqual(chunking));
  it('are the server’s usual ones where nothing is filled in', () => {
    expect(chunkingOf(numbersOf({}))).toEqual({});
    expect(chunkingOf({ 'tokens.overlap': ' 20 ' })).toEqual({ tokens: { overlap: 20 } });
  });
  it('go to the server as they were typed when they are none', () => expect(chunkingOf({ 'code.overlap': 'a lot' })).toEqual({ code: { overlap: 'a lot' } }));
});
