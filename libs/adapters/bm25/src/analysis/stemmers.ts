import { stemmer as greek } from '@orama/stemmers/greek';
import { stemmer as hindi } from '@orama/stemmers/indian';
import { createRequire } from 'node:module';
import { compoundParts } from './compounds.ts';

export type Stem = (word: string) => string;

type Stemmer = Readonly<{ stem(word: string): string }>;
type Snowball = Readonly<{ newStemmer(algorithm: string): Stemmer }>;

// The package has no types. It is required instead of imported, so that this source needs no ambient declaration.
const snowball = createRequire(import.meta.url)('snowball-stemmers') as Snowball;

const ALGORITHMS: Readonly<Record<string, string>> = {
  ar: 'arabic',
  hy: 'armenian',
  eu: 'basque',
  ca: 'catalan',
  cs: 'czech',
  da: 'danish',
  nl: 'dutch',
  en: 'english',
  fi: 'finnish',
  fr: 'french',
  de: 'german',
  hu: 'hungarian',
  it: 'italian',
  ga: 'irish',
  no: 'norwegian',
  nb: 'norwegian',
  nn: 'norwegian',
  pt: 'portuguese',
  ro: 'romanian',
  ru: 'russian',
  es: 'spanish',
  sl: 'slovene',
  sv: 'swedish',
  ta: 'tamil',
  tr: 'turkish',
};

/**
 * The stemmer leaves an ι in some forms of a word: `βιβλι` of βιβλίο, but `βιβλ` of βιβλία. Of a few words it leaves only two letters (`πα` of
 * παιδιά): these stay whole.
 */
const greekStem: Stem = (word) => {
  const stem = greek(word);
  if (stem.length < 3) return word;
  return stem.length > 3 && stem.endsWith('ι') ? stem.slice(0, -1) : stem;
};

/** Languages that `snowball-stemmers` lacks. */
const MORE: Readonly<Record<string, () => Stemmer>> = {
  el: () => ({ stem: greekStem }),
  hi: () => ({ stem: hindi }),
};

/**
 * The maximum number of words whose stems are cached, per language, at most about 5 MB each: two halves. When the younger half is full, it
 * replaces the older one, so that many words which are looked up once do not displace the frequent ones.
 */
const MAX_CACHED = 50_000;

const unchanged: Stem = (word) => word;
const stemmers = new Map<string, Stem>();

/** Returns the Snowball stemmer of a language (ISO 639-1), or one that changes nothing. It expects lower-case, folded words. */
export const stemmerFor = (language: string): Stem => {
  const known = stemmers.get(language);
  if (known !== undefined) return known;
  const stemmer = create(language);
  if (stemmer === undefined) return unchanged;
  const stem = cached(stemmer);
  stemmers.set(language, stem);
  return stem;
};

const create = (language: string): Stemmer | undefined => {
  if (Object.hasOwn(MORE, language)) return (MORE[language] as () => Stemmer)();
  return Object.hasOwn(ALGORITHMS, language) ? snowball.newStemmer(ALGORITHMS[language] as string) : undefined;
};

const cached = (stemmer: Stemmer): Stem =>
  // A stemmer may return an empty stem for a very short word; then the word itself is used.
  remembered((word) => stemmer.stem(word) || word);

let germanParts: ((word: string) => readonly string[]) | undefined;

/** Returns what finds the stems of the words that a compound consists of, for a language that writes them as one word: German. */
export const partStemmerFor = (language: string): ((word: string) => readonly string[]) | undefined => {
  if (language !== 'de') return undefined;
  const stem = stemmerFor(language);
  return (germanParts ??= remembered((word) => compoundParts(word).map(stem)));
};

const remembered = <Result>(find: (word: string) => Result): ((word: string) => Result) => {
  let [younger, older] = [new Map<string, Result>(), new Map<string, Result>()];
  return (word) => {
    const held = younger.get(word);
    if (held !== undefined) return held;
    const found = older.get(word) ?? find(word);
    if (younger.size >= MAX_CACHED / 2) [younger, older] = [new Map(), younger];
    younger.set(word, found);
    return found;
  };
};
