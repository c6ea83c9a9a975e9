/** Writing systems that have no single Unicode script. */
const SCRIPTS: Readonly<Record<string, string>> = {
  Hans: '\\p{Script=Han}',
  Hant: '\\p{Script=Han}',
  Kore: '\\p{Script=Hangul}',
  Jpan: '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}',
};
const letters = new Map<string, RegExp>();

/** Matches letters of the main script of a language (ISO 639-1); Latin letters for an unknown language. */
export const lettersOf = (language: string): RegExp => {
  const known = letters.get(language);
  if (known !== undefined) return known;
  const found = lettersOfScript(language);
  letters.set(language, found);
  return found;
};

/** The ISO 639-1 language of a BCP 47 tag, without region and script: `de` for `de-CH` and for `deu`. */
export const primaryLanguage = (tag: string): string => {
  try {
    return new Intl.Locale(tag).language;
  } catch {
    return 'und';
  }
};

/** Whether most letters of a text belong to the script of the language. Used where a text is too short to detect its language. */
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
