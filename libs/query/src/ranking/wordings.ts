import { mentions, placedWords, synonymRules, type PlacedWord, type Synonyms } from '@palimpsest/knowledge/texts';

/** A word or phrase of a query, as the query has it, and what it is searched with, too. */
export type AddedSynonyms = Readonly<{ word: string; synonyms: readonly string[] }>;

/** `wordings`: the query, and the query with synonyms in place of its words. `limited`: there are more than `MAX_WORDINGS`. */
export type Wordings = Readonly<{ wordings: readonly string[]; added: readonly AddedSynonyms[]; limited: boolean }>;

/** Wordings of one query: each is a search of the index. */
export const MAX_WORDINGS = 16;

/** Scripts without blanks between words, and Korean, whose particles follow a word without one. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;

type Alternatives = ReadonlyMap<string, ReadonlyMap<string, string>>;
/** Where a word or phrase with synonyms is in the query. */
type Found = PlacedWord & Readonly<{ synonyms: readonly string[] }>;

/**
 * The wordings of a query. Rules are applied once, to the words of the query, never to synonyms: rules that lead to each other in a circle
 * end there. The longest phrase counts. A repeated word has the same synonym everywhere. Wordings that replace fewer words come first.
 */
export const wordingsOf = (query: string, rules: Synonyms): Wordings => {
  const text = query.normalize('NFKC');
  const applicable = rulesFor(text, rules);
  const found = applicable.length === 0 ? [] : findIn(text, alternativesOf(applicable));
  const distinct = [...new Map(found.map((one) => [one.form, one])).values()];
  const replaceable = distinct.slice(0, MAX_WORDINGS);
  const choices = fewestFirst(replaceable.map(({ synonyms }) => synonyms.length));
  return {
    wordings: choices.map((choice) => {
      const chosen = new Map(replaceable.map(({ form, synonyms }, i) => [form, synonyms[(choice[i] ?? 0) - 1]]));
      return choice.every((one) => one === 0) ? query : reworded(text, found, chosen);
    }),
    added: distinct.map(({ start, end, synonyms }) => ({ word: text.slice(start, end), synonyms })),
    limited: distinct.reduce((product, { synonyms }) => product * (synonyms.length + 1), 1) > choices.length,
  };
};

/** The rules with a word of the query; in texts without blanks, any word may be one. */
const rulesFor = (text: string, rules: Synonyms): Synonyms => {
  const forms = new Set(placedWords(text).map(({ form }) => form));
  const isUnspaced = UNSPACED.test(text);
  return rules.filter((rule) => (isUnspaced && UNSPACED.test(rule)) || mentions(rule, forms));
};

/** By the compared form of a word: the forms of its synonyms, with their texts, in the order of the rules. */
const alternativesOf = (rules: Synonyms): Alternatives => {
  const alternatives = new Map<string, Map<string, string>>();
  for (const { from, to } of synonymRules(rules))
    for (const { form } of from) {
      const known = alternatives.get(form) ?? new Map<string, string>();
      alternatives.set(form, known);
      for (const other of to) if (other.form !== form && !known.has(other.form)) known.set(other.form, other.text);
    }
  return alternatives;
};

const findIn = (text: string, alternatives: Alternatives): readonly Found[] => {
  const candidates = [...phrasesIn(text, alternatives), ...unspacedIn(text, alternatives)];
  candidates.sort((a, b) => a.start - b.start || b.end - a.end);
  const found: Found[] = [];
  for (const one of candidates) if (one.start >= (found.at(-1)?.end ?? 0)) found.push(one);
  return found;
};

/** Whole words, and words that follow each other. */
const phrasesIn = (text: string, alternatives: Alternatives): readonly Found[] => {
  const words = placedWords(text);
  const longest = Math.max(...[...alternatives.keys()].map((form) => form.split(' ').length));
  return words.flatMap((first, i) => {
    const found: Found[] = [];
    let form = '';
    for (const word of words.slice(i, i + longest)) {
      form = form === '' ? word.form : `${form} ${word.form}`;
      found.push(...ofForm(alternatives, form, { start: first.start, end: word.end }));
    }
    return found;
  });
};

/** Where words have no blanks around them, a word is found anywhere. */
const unspacedIn = (text: string, alternatives: Alternatives): readonly Found[] => {
  if (!UNSPACED.test(text)) return [];
  const forms = [...alternatives.keys()].filter((form) => UNSPACED.test(form));
  return forms.flatMap((form) => {
    const found: Found[] = [];
    for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + form.length))
      found.push(...ofForm(alternatives, form, { start: at, end: at + form.length }));
    return found;
  });
};

const ofForm = (alternatives: Alternatives, form: string, place: Omit<PlacedWord, 'form'>): readonly Found[] => {
  const synonyms = [...(alternatives.get(form)?.values() ?? [])];
  return synonyms.length === 0 ? [] : [{ ...place, form, synonyms }];
};

/** For each word the number of its synonym, 0 for the word itself. Those with more zeros first. */
const fewestFirst = (counts: readonly number[]): readonly (readonly number[])[] => {
  const choices: (readonly number[])[] = [];
  for (let replaced = 0; replaced <= counts.length; replaced++)
    for (const choice of replacing(counts, replaced)) {
      choices.push(choice);
      if (choices.length === MAX_WORDINGS) return choices;
    }
  return choices;
};

/** All choices that replace exactly this number of words, one after the other. */
function* replacing(counts: readonly number[], replaced: number): Generator<readonly number[]> {
  const [count, ...rest] = counts;
  if (count === undefined) {
    if (replaced === 0) yield [];
    return;
  }
  if (replaced > 0)
    for (let synonym = 1; synonym <= count; synonym++) for (const others of replacing(rest, replaced - 1)) yield [synonym, ...others];
  if (rest.length >= replaced) for (const others of replacing(rest, replaced)) yield [0, ...others];
}

const reworded = (text: string, found: readonly Found[], chosen: ReadonlyMap<string, string | undefined>): string => {
  let [wording, at] = ['', 0];
  for (const { form, start, end } of found) {
    wording += text.slice(at, start) + (chosen.get(form) ?? text.slice(start, end));
    at = end;
  }
  return wording + text.slice(at);
};
