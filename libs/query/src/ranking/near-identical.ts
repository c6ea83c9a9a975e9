import { passageWords } from './passage-words.ts';

/** Words of a shingle. With three, a short passage in which one word differs shares too little to be the same. */
const SHINGLE = 3;
/** Least share of common shingles among all shingles of two passages. Chosen on real passages; see docs/explanation/ranking.md. */
const NEAR_IDENTICAL = 0.8;

/** `numbers`: the words with digits, which must be equal: a price or a version that differs is what a reader looks for. */
type Fingerprint = Readonly<{ shingles: ReadonlySet<number>; numbers: string }>;

/**
 * For each passage the index of the first passage that it repeats, or its own index. Passages repeat each other if their sets of
 * three-word shingles have a Jaccard coefficient of at least .8 (Broder: On the resemblance and containment of documents, 1997) and
 * their numbers are equal. Exact, without samples: the same passages always give the same answer.
 */
export const nearIdentical = (passages: readonly string[]): readonly number[] => {
  const kept = new Map<number, Fingerprint>();
  const holders = new Map<number, number[]>();
  return passages.map((passage, at) => {
    const own = fingerprint(passage);
    const shared = new Map<number, number>();
    for (const shingle of own.shingles) for (const holder of holders.get(shingle) ?? []) shared.set(holder, (shared.get(holder) ?? 0) + 1);
    const repeated = [...shared].find(([holder, common]) => {
      const other = kept.get(holder);
      return other?.numbers === own.numbers && common / (own.shingles.size + other.shingles.size - common) >= NEAR_IDENTICAL;
    });
    if (repeated !== undefined) return repeated[0];
    kept.set(at, own);
    for (const shingle of own.shingles) {
      const known = holders.get(shingle);
      if (known === undefined) holders.set(shingle, [at]);
      else known.push(at);
    }
    return at;
  });
};

const HAS_DIGIT = /\p{N}/u;

const fingerprint = (passage: string): Fingerprint => {
  const words = passageWords(passage);
  // A passage of punctuation only is the same as itself.
  const hashes = (words.length === 0 ? [passage.trim()] : words).map(hash);
  const shingles = new Set<number>();
  const last = Math.max(1, hashes.length - SHINGLE + 1);
  for (let from = 0; from < last; from++) {
    let mixed = 0;
    for (let at = from; at < Math.min(from + SHINGLE, hashes.length); at++) mixed = Math.imul(mixed, 0x01000193) ^ (hashes[at] ?? 0);
    shingles.add(mixed >>> 0);
  }
  const numbers = [...new Set(words.filter((word) => HAS_DIGIT.test(word)))].sort().join(' ');
  return { shingles, numbers };
};

/** FNV-1a over UTF-16 units, 32 bits, then mixed as MurmurHash3 ends. */
const hash = (word: string): number => {
  let value = 0x811c9dc5;
  for (let at = 0; at < word.length; at++) value = Math.imul(value ^ word.charCodeAt(at), 0x01000193);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
};
