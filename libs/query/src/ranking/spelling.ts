/** A word of a query that may be misspelt. `word`: as the query has it; `letters`: in lower case. */
export type SpelledWord = Readonly<{ word: string; letters: string; start: number; end: number; correctable: boolean }>;

/** Shorter words have too many neighbours, and longer ones are no words of a language. */
const LENGTH = { min: 5, max: 24 } as const;

/** What joins the parts of identifiers, addresses and paths, and `-` between words. */
const RUN = /[\p{L}\p{M}\p{N}_.@/\\:#+=&$%-]+/gu;
/** Not part of a run at its ends, as punctuation. */
const EDGES = '.:/\\#+%-';
const LETTERS = /^[\p{L}\p{M}]+$/u;
const SMALL_LETTER = /\p{Ll}/u;
/** `getUser`, `iPhone`. */
const INNER_CAPITAL = /\p{Ll}\p{Lu}/u;

/** The words of a query in their order. Names of code, addresses, numbers, and abbreviations in capitals have no spelling to correct. */
export const spelledWords = (query: string): readonly SpelledWord[] => {
  const hasSmall = SMALL_LETTER.test(query);
  return [...query.matchAll(RUN)].flatMap(({ 0: run, index }) =>
    wordsIn(run).map(({ word, at, isPlain }) => {
      const letters = word.toLowerCase();
      const isAbbreviation = hasSmall && !SMALL_LETTER.test(word) && word !== letters;
      const fits = letters.length >= LENGTH.min && letters.length <= LENGTH.max && letters.length === word.length;
      const correctable = isPlain && fits && !isAbbreviation && !INNER_CAPITAL.test(word) && alphabetOf(letters) !== undefined;
      return { word, letters, start: index + at, end: index + at + word.length, correctable };
    }),
  );
};

type PlacedPart = Readonly<{ word: string; at: number; isPlain: boolean }>;

const wordsIn = (run: string): readonly PlacedPart[] => {
  let [from, to] = [0, run.length];
  while (from < to && EDGES.includes(run.charAt(from))) from++;
  while (to > from && EDGES.includes(run.charAt(to - 1))) to--;
  const core = run.slice(from, to);
  const parts = core.split('-');
  if (!parts.every((part) => LETTERS.test(part))) return core === '' ? [] : [{ word: core, at: from, isPlain: false }];
  let at = from;
  return parts.map((word) => {
    const placed = { word, at, isPlain: true };
    at += word.length + 1;
    return placed;
  });
};

type Alphabet = Readonly<{ script: RegExp; letters: string; variants: Readonly<Record<string, string>> }>;

/**
 * The letters of each script whose words are corrected. Letters with accents (`variants`) only take the place of the one without: a
 * missing accent is a frequent mistake, and all of them in every place would be many words that do not exist.
 */
const ALPHABETS: readonly Alphabet[] = [
  {
    script: /^\p{sc=Latin}+$/u,
    letters: 'abcdefghijklmnopqrstuvwxyz',
    variants: {
      ...{ a: 'äáàâãåąā', c: 'çćč', d: 'ďđ', e: 'éèêëęěē', g: 'ğģ', i: 'íìîïıī', l: 'łľ', n: 'ñńň' },
      ...{ o: 'öóòôõøő', r: 'řŕ', s: 'ßśšşș', t: 'ťțţ', u: 'üúùûůűū', y: 'ýÿ', z: 'źżž' },
    },
  },
  { script: /^\p{sc=Cyrillic}+$/u, letters: 'абвгдежзийклмнопрстуфхцчшщъыьэюяёіїє', variants: {} },
  { script: /^\p{sc=Greek}+$/u, letters: 'αβγδεζηθικλμνξοπρστυφχψωάέήίόύώ', variants: {} },
  { script: /^\p{sc=Arabic}+$/u, letters: 'ابتثجحخدذرزسشصضطظعغفقكلمنهويةىءئؤأإآپچژگکی', variants: {} },
  { script: /^\p{sc=Hebrew}+$/u, letters: 'אבגדהוזחטיכךלמםנןסעפףצץקרשת', variants: {} },
];

const NO_LETTERS: Omit<Alphabet, 'script'> = { letters: '', variants: {} };

const alphabetOf = (letters: string): Alphabet | undefined => ALPHABETS.find(({ script }) => script.test(letters));

/**
 * All words that one mistake separates from this one: two letters exchanged, one too many, a wrong one, or a missing one (in this order).
 */
export const neighboursOf = (letters: string): readonly string[] => {
  const { letters: alphabet, variants } = alphabetOf(letters) ?? NO_LETTERS;
  const found = new Set<string>();
  const after = (at: number): string => letters.slice(at);
  for (let at = 0; at + 1 < letters.length; at++)
    found.add(letters.slice(0, at) + letters.charAt(at + 1) + letters.charAt(at) + after(at + 2));
  for (let at = 0; at < letters.length; at++) found.add(letters.slice(0, at) + after(at + 1));
  for (let at = 0; at < letters.length; at++)
    for (const other of alphabet + (variants[letters.charAt(at)] ?? '')) found.add(letters.slice(0, at) + other + after(at + 1));
  for (let at = 0; at <= letters.length; at++) for (const other of alphabet) found.add(letters.slice(0, at) + other + after(at));
  found.delete(letters);
  return [...found];
};

/** The query with other words in place of some of its own. */
export const withCorrections = (query: string, words: readonly SpelledWord[], corrections: ReadonlyMap<string, string>): string => {
  let [text, at] = ['', 0];
  for (const { letters, correctable, start, end } of words) {
    const other = correctable ? corrections.get(letters) : undefined;
    if (other === undefined) continue;
    text += query.slice(at, start) + other;
    at = end;
  }
  return text + query.slice(at);
};
