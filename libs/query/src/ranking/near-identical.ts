import { passageWords } from './passage-words.ts';

/** Words of a shingle. With three, a short passage in which one word differs shares too little to be the same. */
const SHINGLE = 3;
/** Least share of common shingles among all shingles of two passages. Chosen on real passages; see docs/explanation/ranking.md. */
const NEAR_IDENTICAL = 0.8;

/** `shingles`: each once. `numbers`: the words with digits, which must be equal: a price or a version that differs is what a reader looks for. */
type Fingerprint = Readonly<{ shingles: readonly number[]; numbers: string }>;

/** Shingles that are read before other requests get their turn. */
const TURN = 10_000;

/**
 * For each passage the index of the first passage that it repeats, or its own index. Passages repeat each other if their sets of
 * three-word shingles have a Jaccard coefficient of at least .8 (Broder: On the resemblance and containment of documents, 1997) and
 * their numbers are equal. Exact, without samples: the same passages always give the same answer.
 *
 * Two such sets share one of their rarest fifths, so only these are looked up (Chaudhuri, Ganti, Kaushik: A primitive operator for
 * similarity joins in data cleaning, 2006). Otherwise a thousand passages of one template would be compared pair by pair.
 * `othersTurn`: called every few milliseconds, so that other requests go on.
 */
export const nearIdentical = async (passages: readonly string[], othersTurn: () => Promise<void>): Promise<readonly number[]> => {
  const turns = new Turns(othersTurn);
  const prints: Fingerprint[] = [];
  const frequency = new Map<number, number>();
  for (const passage of passages) {
    const print = fingerprint(passage);
    prints.push(print);
    for (const shingle of print.shingles) frequency.set(shingle, (frequency.get(shingle) ?? 0) + 1);
    await turns.after(print.shingles.length);
  }
  const kept = new Map<number, ReadonlySet<number>>();
  /** By numbers, then by shingle. */
  const holders = new Map<string, Map<number, number[]>>();
  const found: number[] = [];
  for (const [at, { shingles, numbers }] of prints.entries()) {
    const alike = holders.get(numbers) ?? new Map<number, number[]>();
    holders.set(numbers, alike);
    const rarest = rarestOf(shingles, frequency);
    const candidates = [...new Set(rarest.flatMap((shingle) => alike.get(shingle) ?? []))].sort((one, other) => one - other);
    const repeated = candidates.find((candidate) => resemble(shingles, kept.get(candidate)));
    found.push(repeated ?? at);
    await turns.after(shingles.length * (1 + candidates.length));
    if (repeated !== undefined) continue;
    kept.set(at, new Set(shingles));
    for (const shingle of rarest) {
      const known = alike.get(shingle);
      if (known === undefined) alike.set(shingle, [at]);
      else known.push(at);
    }
  }
  return found;
};

class Turns {
  #read = 0;
  readonly #others: () => Promise<void>;

  constructor(others: () => Promise<void>) {
    this.#others = others;
  }

  async after(shingles: number): Promise<void> {
    this.#read += shingles;
    if (this.#read < TURN) return;
    this.#read = 0;
    await this.#others();
  }
}

const rarestOf = (shingles: readonly number[], frequency: ReadonlyMap<number, number>): readonly number[] =>
  shingles
    .toSorted((one, other) => (frequency.get(one) ?? 0) - (frequency.get(other) ?? 0) || one - other)
    .slice(0, shingles.length - Math.ceil(NEAR_IDENTICAL * shingles.length) + 1);

const resemble = (own: readonly number[], other: ReadonlySet<number> = new Set()): boolean => {
  const smaller = Math.min(own.length, other.size);
  if (smaller < NEAR_IDENTICAL * Math.max(own.length, other.size)) return false;
  let common = 0;
  for (const shingle of own) if (other.has(shingle)) common++;
  return common / (own.length + other.size - common) >= NEAR_IDENTICAL;
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
  return { shingles: [...shingles], numbers };
};

/** FNV-1a over UTF-16 units, 32 bits, then mixed as MurmurHash3 ends. */
const hash = (word: string): number => {
  let value = 0x811c9dc5;
  for (let at = 0; at < word.length; at++) value = Math.imul(value ^ word.charCodeAt(at), 0x01000193);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
};
