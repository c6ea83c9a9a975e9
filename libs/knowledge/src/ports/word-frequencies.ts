/**
 * In how many chunks of a partition a word occurs, in any form that their language inflects it to: the most frequent of its terms counts.
 * Undefined for a word that is not indexed in one of the languages, such as a stop word: no index knows where it occurs.
 */
export type WordFrequency = number | undefined;

/** The terms of a word in any of the languages; undefined if it has none in one of them. */
export const termsOfWord = (
  word: string,
  languages: readonly string[],
  analyse: (text: string, language: string) => readonly string[],
): readonly string[] | undefined => {
  const terms = new Set<string>();
  for (const language of languages) {
    const own = analyse(word, language);
    if (own.length === 0) return undefined;
    for (const term of own) terms.add(term);
  }
  return [...terms];
};
