/** Nothing to fold but case: ASCII letters and digits, which nearly every word consists of. */
const PLAIN = /^[A-Za-z0-9]*$/;

/** Lower case without accents, compatible forms made one: "Ｃafé" is "cafe". */
export const folded = (text: string): string =>
  PLAIN.test(text)
    ? text.toLowerCase()
    : text
        .normalize('NFKD')
        .replace(/\p{M}+/gu, '')
        .toLowerCase();

const ENDING = /(?:ments?|ations?|ings?|ies|ied|ers?|ern|est|ly|es|ed|en|em|s|e|y|i|n)$/;
const SHORTEST_STEM = 3;

/** A word without its commonest English and German endings. Rough on purpose: it only decides what is highlighted. */
const lightStem = (word: string): string => {
  const bare = word.replace(ENDING, '');
  if (bare.length < SHORTEST_STEM) return word;
  const isDoubled = bare.length > SHORTEST_STEM && bare.at(-1) === bare.at(-2) && !/[lsz]$/.test(bare);
  return isDoubled ? bare.slice(0, -1) : bare;
};

/** `formOf`: the term that a folded word is a form of. `beginnings`: what every such word begins with, folded as well. */
export type WordMatcher = Readonly<{ formOf: (word: string) => string | undefined; beginnings: ReadonlySet<string> }>;

/** Of folded terms, which may be words of the query or stems made by the lexical index. */
export const wordMatcher = (terms: Iterable<string>): WordMatcher => {
  const byForm = new Map<string, string>();
  for (const term of terms) {
    const plain = folded(term);
    if (plain === '') continue;
    for (const form of [lightStem(plain), plain]) if (!byForm.has(form)) byForm.set(form, plain);
  }
  // A stem begins as its word does: nearly every word of a text is told apart by that, without its stem being made.
  const beginnings = new Set([...byForm.keys()].map((form) => form.slice(0, SHORTEST_STEM)));
  return { beginnings, formOf: (word) => (beginnings.has(word.slice(0, SHORTEST_STEM)) ? (byForm.get(word) ?? byForm.get(lightStem(word))) : undefined) };
};
