/** ASCII letters and digits, of which nearly every word consists: only the case has to be folded. */
const PLAIN = /^[A-Za-z0-9]*$/;

/** Lower case without accents, in compatibility form: "Ｃafé" becomes "cafe". */
export const folded = (text: string): string =>
  PLAIN.test(text)
    ? text.toLowerCase()
    : text
        .normalize('NFKD')
        .replace(/\p{M}+/gu, '')
        .toLowerCase();

const ENDING = /(?:ments?|ations?|ings?|ies|ied|ers?|ern|est|ly|es|ed|en|em|s|e|y|i|n)$/;
const MIN_STEM = 3;

/** Removes the most common English and German endings. Rough on purpose: it only decides what is highlighted. */
const lightStem = (word: string): string => {
  const bare = word.replace(ENDING, '');
  if (bare.length < MIN_STEM) return word;
  const isDoubled = bare.length > MIN_STEM && bare.at(-1) === bare.at(-2) && !/[lsz]$/.test(bare);
  return isDoubled ? bare.slice(0, -1) : bare;
};

/** `formOf`: the term that a folded word is a form of. `beginnings`: the possible prefixes of such words, also folded. */
export type WordMatcher = Readonly<{ formOf: (word: string) => string | undefined; beginnings: ReadonlySet<string> }>;

/** Builds a matcher for terms, which can be words of the query or stems of the lexical index. */
export const wordMatcher = (terms: Iterable<string>): WordMatcher => {
  const byForm = new Map<string, string>();
  for (const term of terms) {
    const plain = folded(term);
    if (plain === '') continue;
    for (const form of [lightStem(plain), plain]) if (!byForm.has(form)) byForm.set(form, plain);
  }
  // A stem has the same beginning as its word: this rules out nearly every word of a text without stemming it.
  const beginnings = new Set([...byForm.keys()].map((form) => form.slice(0, MIN_STEM)));
  return {
    beginnings,
    formOf: (word) => (beginnings.has(word.slice(0, MIN_STEM)) ? (byForm.get(word) ?? byForm.get(lightStem(word))) : undefined),
  };
};
