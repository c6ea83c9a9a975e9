/** Commas and semicolons, also of Chinese, Japanese and Arabic. */
const SEPARATORS = /[,;，、；،؛]/;

/**
 * The keywords that a text lists: `red, blue`, or as JSON, where a keyword may contain a comma: `["red", "blue, light"]`.
 * Undefined for a text that starts like JSON, and is no list of texts.
 */
export const keywordsOf = (text: string): readonly string[] | undefined => {
  if (!text.trimStart().startsWith('[')) return withoutBlank(text.split(SEPARATORS));
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) && list.every((one) => typeof one === 'string') ? withoutBlank(list) : undefined;
  } catch {
    return undefined;
  }
};

/** The text that lists these keywords: easy to read, unless it would then list others. */
export const keywordsText = (keywords: readonly string[]): string => {
  const [text, wanted] = [keywords.join(', '), withoutBlank(keywords)];
  const read = keywordsOf(text);
  return read?.length === wanted.length && read.every((one, n) => one === wanted[n]) ? text : JSON.stringify(keywords);
};

const withoutBlank = (keywords: readonly string[]): readonly string[] => keywords.map((one) => one.trim()).filter((one) => one !== '');
