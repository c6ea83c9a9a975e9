/** Unifies the spelling variants of a word that a language treats as the same. Expects lower-case words. */
export type Fold = (word: string) => string;

const unchanged: Fold = (word) => word;

const ACCENTS = /[\u0300-\u036f]/g;
const withoutAccents: Fold = (word) => word.normalize('NFD').replace(ACCENTS, '').normalize('NFC');

/** The nukta; candrabindu; a nasal without vowel before a consonant that is spoken at the same place. */
const NASALS: readonly (readonly [RegExp, string])[] = [
  [/\u093c/g, ''],
  [/ँ/g, 'ं'],
  [/ङ्(?=[क-घ])|ञ्(?=[च-झ])|ण्(?=[ट-ढ])|न्(?=[त-ध])|म्(?=[प-भ])/g, 'ं'],
];

/**
 * Contains only folds with a measured benefit, or for characters that texts of the language often omit.
 * el: the accent moves with inflection and is not written in capitals; nDCG@10 .948 instead of .907.
 * ar: few texts have marks, most have hamzas on an alef; nDCG@10 on xquad-ar .9554 instead of .9538
 *     (also folding alef maqsura and teh marbuta: .9444). The stemmer does not know `and` before the article.
 * ru, be: ё is usually printed as е.
 * he: few texts have vowel points.
 * hi: the nukta is often left out, and a nasal before its consonant is written in either of two ways (हिन्दी, हिंदी).
 * fa, ur: keyboards differ in kaf and yeh.
 */
const FOLDS: Readonly<Record<string, Fold>> = {
  ar: (word) =>
    word
      .replace(/[\u0640\u064b-\u065f\u0670]/g, '')
      .replace(/[أإآٱ]/g, 'ا')
      .replace(/^[وف](?=ال..)/, ''),
  el: (word) => withoutAccents(word).replaceAll('ς', 'σ'),
  ru: (word) => word.replaceAll('ё', 'е'),
  be: (word) => word.replaceAll('ё', 'е'),
  he: (word) => word.replace(/[\u0591-\u05c7]/g, ''),
  hi: (word) => NASALS.reduce((folded, [nasal, sign]) => folded.replace(nasal, sign), word),
  fa: (word) =>
    word
      .replace(/[\u0640\u064b-\u065f\u0670]/g, '')
      .replaceAll('ك', 'ک')
      .replaceAll('ي', 'ی'),
  ur: (word) =>
    word
      .replace(/[\u0640\u064b-\u065f\u0670]/g, '')
      .replaceAll('ك', 'ک')
      .replaceAll('ي', 'ی'),
};

/** Applied before stop words and stems, to texts and queries alike. */
export const foldFor = (language: string): Fold => (Object.hasOwn(FOLDS, language) ? (FOLDS[language] as Fold) : unchanged);
