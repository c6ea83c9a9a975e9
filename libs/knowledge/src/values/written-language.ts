/** Writing systems that Unicode has no single script for. */
const SCRIPTS: Readonly<Record<string, string>> = {
  Hans: '\\p{Script=Han}', Hant: '\\p{Script=Han}', Kore: '\\p{Script=Hangul}',
  Jpan: '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}',
};
const letters = new Map<string, RegExp>();

/** Letters of the script that a language (ISO 639-1) is mostly written in; Latin ones for a language that is not known. */
export const lettersOf = (language: string): RegExp => {
  const known = letters.get(language);
  if (known !== undefined) return known;
  const found = lettersOfScript(language);
  letters.set(language, found);
  return found;
};

/** The language of a BCP 47 tag as ISO 639-1 names it, without region and script: `de` of `de-CH` and of `deu`. */
export const primaryLanguage = (tag: string): string => {
  try {
    return new Intl.Locale(tag).language;
  } catch {
    return 'und';
  }
};

/** Whether most letters of a text are ones that the language is written in: what is short may be of it. */
export const isWrittenLike = (language: string, text: string): boolean =>
  2 * (text.match(lettersOf(language)) ?? []).length > (text.match(/\p{L}/gu) ?? []).length;

const lettersOfScript = (language: string): RegExp => {
  try {
    const script = new Intl.Locale(language).maximize().script ?? 'Latn';
    return new RegExp(`[${SCRIPTS[script] ?? `\\p{Script=${script}}`}]`, 'gu');
  } catch {
    return /\p{Script=Latin}/gu;
  }
};
