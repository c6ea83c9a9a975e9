import { createRequire } from 'node:module';

/** Shorter parts are mostly endings or chance. */
const MIN_PART = 4;
/** How many of the most frequent words of this length count: rarer short words of an encyclopaedia are mostly names and fragments. */
const FREQUENT = {
  commonWords: { 4: 0.5 },
  wikipedia: { 4: 0.12, 5: 0.35 },
} as const satisfies Record<string, Readonly<Record<number, number>>>;
/** Letters between two parts: `Bundes·regierung` without one (the list has both forms), `Leistung·s·träger`, `Hund·e·futter`. */
const LINKS = ['s', 'n', 'en', 'es', 'er', 'e'];
/** Endings, fragments and function words of the lists, which would split words that are no compounds: `parlament|arischen`. */
const NO_PARTS =
  'aber alle allem allen aller ange arisch arische arischen aries ation ational ationen baren barer bares dann denn dessen diese dieser doch ' +
  'durch eine einem einen einer eines ende enden ender endes enten eren erer erin erinnen fache fachen fest gegen gleich haben hang heran ' +
  'herab heraus hervor hier hinaus hinein hinter ierte ierten ierung ierungen iger iges igem ihre ihren ihrer immer inden innen inte inter ' +
  'ional ionen isch ische ischem ischen ischer isches jede jeder keit klärung lich liche lichem lichen licher liches ling linge lose losen loser ' +
  'lung lungen mente nach nieder nische nischen noch oden oder port rung rungen schaft sche schen scher sches sein seine sind stellen stellt ' +
  'stellte sten ster stes tate test teste tester tion tionen tische tischen tischer trans tums über unter voran voraus vorbei wahr weiter ' +
  'wenn werden wider wieder wird wurde zuge zurück zusammen';

const NONE: readonly string[] = [];

let partsKnown: ReadonlySet<string> | undefined;

/** The words that can be parts: about 64,000 frequent ones of Wikipedia and of subtitles. Read when the first German text arrives. */
const known = (): ReadonlySet<string> => (partsKnown ??= readParts());

const readParts = (): ReadonlySet<string> => {
  const { dictionary } = createRequire(import.meta.url)('@zxcvbn-ts/language-de') as Readonly<{
    dictionary: Readonly<Record<string, readonly string[]>>;
  }>;
  const excluded = new Set(NO_PARTS.split(' '));
  const parts = new Set<string>();
  for (const [name, shares] of Object.entries(FREQUENT)) {
    const list = dictionary[name] as readonly string[];
    list.forEach((word, rank) => {
      const isFrequent = rank < list.length * (shares[word.length as keyof typeof shares] ?? 1);
      if (word.length >= MIN_PART && isFrequent && !excluded.has(word) && /^[a-zäöüß]+$/.test(word)) parts.add(word);
    });
  }
  return parts;
};

/** The words of which a German compound (lower case) consists, and their own parts: of `dampfschifffahrt` also `schiff` and `fahrt`. */
export const compoundParts = (word: string): readonly string[] => {
  if (word.length < 2 * MIN_PART) return NONE;
  const parts = split(word);
  return parts.length === 0 ? NONE : [...new Set(parts.flatMap((part) => [part, ...compoundParts(part)]))];
};

/** The fewest known words that make up the whole word; of several such ways the one with the longest last word, which is the head. */
const split = (word: string): readonly string[] => {
  const words = known();
  const best: (readonly string[] | undefined)[] = [];
  best[word.length] = NONE;
  for (let from = word.length - MIN_PART; from >= 0; from--)
    for (let to = from + MIN_PART; to <= word.length; to++) {
      const part = word.slice(from, to);
      if (part.length === word.length || !words.has(part)) continue;
      for (const rest of continuations(word, to, best)) if (isBetter([part, ...rest], best[from])) best[from] = [part, ...rest];
    }
  return best[0] ?? NONE;
};

/** The ways to go on after a part, with or without a link. Nothing is a link at the end: there it is an ending. */
const continuations = (word: string, to: number, best: readonly (readonly string[] | undefined)[]): readonly (readonly string[])[] => {
  const after = ['', ...LINKS].filter((link) => word.startsWith(link, to) && (link === '' || to + link.length < word.length));
  return after.flatMap((link) => {
    const rest = best[to + link.length];
    return rest === undefined ? [] : [rest];
  });
};

const isBetter = (parts: readonly string[], than: readonly string[] | undefined): boolean =>
  than === undefined ||
  parts.length < than.length ||
  (parts.length === than.length && (parts.at(-1) as string).length > (than.at(-1) as string).length);
