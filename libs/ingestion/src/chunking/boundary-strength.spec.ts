import { codeStrength, DECLARATION, endsSentence, LINE, PARAGRAPH, proseStrength, ROW, SENTENCE, WORD } from './boundary-strength.ts';

/** The strength at the "^" in a text. */
const at = (strength: typeof proseStrength, text: string): number => {
  const [before = '', after = ''] = text.split('^');
  return strength(before + after, before.trimEnd().length, before.length + (after.length - after.trimStart().length));
};

describe('A boundary in prose', () => {
  it.each([
    ['one ^two', WORD],
    ['one\n^two', LINE],
    ['One. ^Two', SENTENCE],
    ['He said "no." ^Then', SENTENCE],
    ['approx. ^five', WORD],
    ['it ended. ^then', LINE],
    ['J. ^Smith', WORD],
    ['One.\n^Two', ROW],
    ['one\n^- item', ROW],
    ['one\r\n^two', LINE],
    ['one\r\n\r\n^two', PARAGRAPH],
    ['one\f^two', PARAGRAPH],
  ])('%j is %i strong', (text, strength) => expect(at(proseStrength, text)).toBe(strength));

  it('knows the full stops of other scripts', () => {
    expect(['終わり。', 'खत्म।', 'انتهى؟', 'ende!'].every((text) => endsSentence(text, text.length))).toBe(true);
  });
});

describe('A boundary in code', () => {
  it.each([
    ['a; ^b', WORD],
    ['  a;\n  ^b', SENTENCE],
    ['a;\n^}', SENTENCE],
    ['a;\n^b', ROW],
    ['  a;\n\n  ^b', PARAGRAPH],
    ['}\n\n^b', DECLARATION],
  ])('%j is %i strong', (text, strength) => expect(at(codeStrength, text)).toBe(strength));
});
