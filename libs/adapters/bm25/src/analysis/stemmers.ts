import { createRequire } from 'node:module';

type Snowball = Readonly<{ newStemmer(algorithm: string): { stem(word: string): string } }>;

// The package has no types; required, not imported, so that no ambient declaration must travel with this source.
const snowball = createRequire(import.meta.url)('snowball-stemmers') as Snowball;

const ALGORITHMS: Readonly<Record<string, string>> = {
  ar: 'arabic', hy: 'armenian', eu: 'basque', ca: 'catalan', cs: 'czech', da: 'danish', nl: 'dutch', en: 'english', fi: 'finnish',
  fr: 'french', de: 'german', hu: 'hungarian', it: 'italian', ga: 'irish', no: 'norwegian', nb: 'norwegian', nn: 'norwegian',
  pt: 'portuguese', ro: 'romanian', ru: 'russian', es: 'spanish', sl: 'slovene', sv: 'swedish', ta: 'tamil', tr: 'turkish',
};

/** Words whose stems are remembered, per language: beyond, the memory starts anew. Some 5 MB each at most. */
const REMEMBERED = 50_000;

export type Stem = (word: string) => string;

const unchanged: Stem = (word) => word;
const stemmers = new Map<string, Stem>();

/** The Snowball stemmer of a language (ISO 639-1), or one that changes nothing. Takes lower-case words. */
export const stemmerFor = (language: string): Stem => {
  const algorithm = Object.hasOwn(ALGORITHMS, language) ? ALGORITHMS[language] : undefined;
  if (algorithm === undefined) return unchanged;
  const known = stemmers.get(algorithm);
  if (known !== undefined) return known;
  const stemmer = remembering(snowball.newStemmer(algorithm));
  stemmers.set(algorithm, stemmer);
  return stemmer;
};

const remembering = (stemmer: { stem(word: string): string }): Stem => {
  const stems = new Map<string, string>();
  return (word) => {
    const known = stems.get(word);
    if (known !== undefined) return known;
    // A stemmer may leave nothing of a very short word; the word itself then stands.
    const stem = stemmer.stem(word) || word;
    if (stems.size >= REMEMBERED) stems.clear();
    stems.set(word, stem);
    return stem;
  };
};
