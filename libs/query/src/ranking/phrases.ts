import { folded } from './same-word.ts';

/** A character of a script without spaces between words, an emoji, or else a whole word. Hangul counts as such: its words have endings. */
const UNSPACED =
  '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}\\p{Extended_Pictographic}]';
const TOKEN = new RegExp(`${UNSPACED}|[[\\p{L}\\p{M}\\p{N}]--${UNSPACED}]+`, 'gv');

/** The words of a text, without case, accents and punctuation, each between spaces. */
const wordsIn = (text: string): string => ` ${(folded(text).normalize('NFC').match(TOKEN) ?? []).join(' ')} `;

/** Returns whether a text contains each of the phrases: its words next to each other, in this order. */
export const containsPhrases = (phrases: readonly string[]): ((text: string) => boolean) => {
  const wanted = phrases.map(wordsIn);
  return (text) => {
    const words = wordsIn(text);
    return wanted.every((phrase) => words.includes(phrase));
  };
};
