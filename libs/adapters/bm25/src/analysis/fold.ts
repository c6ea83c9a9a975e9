/** One spelling of a word for several: what a language writes in more than one way, and means the same. Takes lower-case words. */
export type Fold = (word: string) => string;

const unchanged: Fold = (word) => word;

const ACCENTS = /[\u0300-\u036f]/g;
const withoutAccents: Fold = (word) => word.normalize('NFD').replace(ACCENTS, '').normalize('NFC');

/**
 * Only what is measured, or what a language's own texts leave out freely.
 * el: the accent moves as a word is inflected and is not written in capitals; nDCG@10 .948 instead of .907.
 * ar: marks are written in few texts, hamzas on an alef in most; nDCG@10 on xquad-ar .9554 instead of .9538 (folding alef maqsura and teh marbuta too: .9444).
 * ru, be: ё is printed as е.
 * he: points are written in few texts.
 * fa, ur: keyboards differ in kaf and yeh.
 */
const FOLDS: Readonly<Record<string, Fold>> = {
  ar: (word) => word.replace(/[\u0640\u064b-\u065f\u0670]/g, '').replace(/[أإآٱ]/g, 'ا'),
  el: (word) => withoutAccents(word).replaceAll('ς', 'σ'),
  ru: (word) => word.replaceAll('ё', 'е'),
  be: (word) => word.replaceAll('ё', 'е'),
  he: (word) => word.replace(/[\u0591-\u05c7]/g, ''),
  fa: (word) => word.replace(/[\u0640\u064b-\u065f\u0670]/g, '').replaceAll('ك', 'ک').replaceAll('ي', 'ی'),
  ur: (word) => word.replace(/[\u0640\u064b-\u065f\u0670]/g, '').replaceAll('ك', 'ک').replaceAll('ي', 'ی'),
};

/** Applied before stop words and stems, to texts and queries alike. */
export const foldFor = (language: string): Fold => (Object.hasOwn(FOLDS, language) ? (FOLDS[language] as Fold) : unchanged);
