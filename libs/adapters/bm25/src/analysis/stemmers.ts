import { createRequire } from 'node:module';

type Snowball = Readonly<{ newStemmer(algorithm: string): { stem(word: string): string } }>;

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

/** The maximum number of cached stems per language, at most about 5 MB each. The cache is cleared when it is full. */
const MAX_CACHED_STEMS = 50_000;

export type Stem = (word: string) => string;

const unchanged: Stem = (word) => word;
const stemmers = new Map<string, Stem>();

/** Returns the Snowball stemmer of a language (ISO 639-1), or one that changes nothing. It expects lower-case words. */
export const stemmerFor = (language: string): Stem => {
  const algorithm = Object.hasOwn(ALGORITHMS, language) ? ALGORITHMS[language] : undefined;
  if (algorithm === undefined) return unchanged;
  const known = stemmers.get(algorithm);
  if (known !== undefined) return known;
  const stemmer = cached(snowball.newStemmer(algorithm));
  stemmers.set(algorithm, stemmer);
  return stemmer;
};

const cached = (stemmer: { stem(word: string): string }): Stem => {
  const stems = new Map<string, string>();
  return (word) => {
    const known = stems.get(word);
    if (known !== undefined) return known;
    // A stemmer may return an empty stem for a very short word; then the word itself is used.
    const stem = stemmer.stem(word) || word;
    if (stems.size >= MAX_CACHED_STEMS) stems.clear();
    stems.set(word, stem);
    return stem;
  };
};
