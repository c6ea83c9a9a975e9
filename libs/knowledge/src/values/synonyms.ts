import { InvalidValue } from '../errors.ts';
import type { KnowledgeBaseId } from './ids.ts';
import type { VectorScope } from './scope.ts';
import { SYNONYM_LIMITS } from './value-limits.ts';

/**
 * Rules of a knowledge base, in the form of the synonym files of Lucene: `sso, single sign-on` are words and phrases with the same meaning;
 * with `k8s => kubernetes`, a query for the left side also finds the right side, but not the reverse.
 */
export type Synonyms = readonly string[];

/** Those of one knowledge base. */
export type SynonymsInScope = Readonly<{ id: KnowledgeBaseId; scope: VectorScope; synonyms: Synonyms }>;

/** A query that contains one of `from` is also searched with each of `to` in its place. */
export type SynonymRule = Readonly<{ from: readonly SynonymWord[]; to: readonly SynonymWord[] }>;
/** `form`: as words are compared, with one blank between them. `text`: as the rule has it. */
type SynonymWord = Readonly<{ form: string; text: string }>;

/**
 * Words of rules and queries. `.`, `+`, `#`, `@`, `'` and `&` may be part of a word (`C++`, `.NET`, `node.js`, `AT&T`); blanks, hyphens and
 * everything else are between words, so that `single sign-on` and `Single-Sign-On` are equal.
 */
const RUN = /[\p{L}\p{N}\p{M}_+#.@'’&]+/gu;
const NEVER_FIRST = "+.'’&";
const NEVER_LAST = ".@'’&";
const MEANINGFUL = /[\p{L}\p{N}]/u;

/** A word of a text: as it is compared, and where it is in the text. */
export type PlacedWord = Readonly<{ form: string; start: number; end: number }>;

/** Words are compared in lower case. `text`: in normal form (NFKC). */
export const placedWords = (text: string): readonly PlacedWord[] =>
  [...text.matchAll(RUN)].flatMap(({ 0: run, index }) => {
    const [from, to] = wordIn(run);
    const word = run.slice(from, to);
    return MEANINGFUL.test(word) ? [{ form: word.toLowerCase(), start: index + from, end: index + to }] : [];
  });

/** Where the word in a run of its characters starts and ends. One pass from each side: a run may be as long as a request. */
const wordIn = (run: string): readonly [number, number] => {
  let [from, to] = [0, run.length];
  while (from < to && NEVER_FIRST.includes(run.charAt(from))) from++;
  while (to > from && NEVER_LAST.includes(run.charAt(to - 1))) to--;
  // `.NET`, but not the end of an ellipsis.
  return run.charAt(from - 1) === '.' && run.charAt(from - 2) !== '.' ? [from - 1, to] : [from, to];
};

/** Whether a rule has one of these words, without parsing it: most rules say nothing about a query. */
export const mentions = (rule: string, forms: ReadonlySet<string>): boolean =>
  placedWords(rule.normalize('NFKC')).some(({ form }) => forms.has(form));

const synonymWord = (text: string): SynonymWord => {
  const words = placedWords(text.normalize('NFKC'));
  return { form: words.map(({ form }) => form).join(' '), text };
};

/** @throws InvalidValue naming the first rule that has another form, or is too long */
export const synonyms = (raw: unknown, field = 'synonyms'): Synonyms => {
  if (!Array.isArray(raw)) throw new InvalidValue(field, 'an array of rules', raw);
  const { rules, units } = SYNONYM_LIMITS;
  if (raw.length > rules) throw new InvalidValue(field, `at most ${rules} rules`, `${raw.length} rules`);
  const parsed = raw.map((rule: unknown, i) => parsedRule(rule, `${field}[${i}]`));
  const length = parsed.reduce((sum, rule) => sum + rule.length, 0);
  if (length > units) throw new InvalidValue(field, `at most ${units} characters in all rules`, `${length} characters`);
  return parsed;
};

/** Without blanks around it. */
const parsedRule = (raw: unknown, field: string): string => {
  const expected = 'a rule such as "sso, single sign-on" or "k8s => kubernetes"';
  if (typeof raw !== 'string' || !raw.isWellFormed()) throw new InvalidValue(field, expected, raw);
  const rule = raw.trim();
  const sides = rule.split('=>').map((side) => side.split(',').map((word) => synonymWord(word.trim())));
  const words = sides.flat();
  if (sides.length > 2 || words.some(({ form }) => form === ''))
    throw new InvalidValue(field, `${expected}, with a letter or a digit in each word`, raw);
  const { words: most, word: longest } = SYNONYM_LIMITS;
  if (words.length > most) throw new InvalidValue(field, `at most ${most} words and phrases`, `${words.length} of them`);
  const long = words.find(({ text }) => text.length > longest);
  if (long !== undefined) throw new InvalidValue(field, `words and phrases of at most ${longest} characters`, long.text);
  if (new Set(words.map(({ form }) => form)).size < 2) throw new InvalidValue(field, `${expected}, with at least two different words`, raw);
  return rule;
};

/** The rules of parsed synonyms. */
export const synonymRules = (parsed: Synonyms): readonly SynonymRule[] =>
  parsed.map((rule) => {
    const [from = [], to = from] = rule.split('=>').map((side) => side.split(',').map((word) => synonymWord(word.trim())));
    return { from, to };
  });
