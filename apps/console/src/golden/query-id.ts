/** The id of a query that has none: the same as the command line gives it, so that both can import the same file. */
export const derivedId = (text: string): string => `q-${sha256(text).slice(0, 12)}`;

const WORDS = 64;
const rotated = (value: number, by: number): number => (value >>> by) | (value << (32 - by));
const fraction = (root: number): number => Math.floor((root % 1) * 2 ** 32);
const primes = Array.from({ length: 312 }, (_, n) => n).filter((n) => n > 1 && !range(2, n).some((divisor) => n % divisor === 0));
const ROUND = primes.slice(0, WORDS).map((prime) => fraction(Math.cbrt(prime)));
const START = primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));

function range(from: number, to: number): readonly number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);
}

/** SHA-256 as FIPS 180-4 defines it. Browsers have `crypto.subtle` only on HTTPS and on localhost; the console also runs without. */
export const sha256 = (text: string): string => {
  const state = Int32Array.from(START);
  for (const block of blocksOf(new TextEncoder().encode(text))) {
    const work = scheduleOf(block);
    let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
    for (const [index, word] of work.entries()) {
      const choice = (e & f) ^ (~e & g);
      const majority = (a & b) ^ (a & c) ^ (b & c);
      const first = (h + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + choice + (ROUND[index] ?? 0) + word) | 0;
      const second = ((rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + majority) | 0;
      [a, b, c, d, e, f, g, h] = [(first + second) | 0, a, b, c, (d + first) | 0, e, f, g];
    }
    for (const [index, value] of [a, b, c, d, e, f, g, h].entries()) state[index] = ((state[index] ?? 0) + value) | 0;
  }
  return [...state].map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
};

/** Blocks of 64 bytes: the text, a one, zeros and its length in bits. */
function* blocksOf(bytes: Uint8Array): Generator<DataView> {
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  new DataView(padded.buffer).setBigUint64(padded.length - 8, BigInt(bytes.length) * 8n);
  for (let at = 0; at < padded.length; at += 64) yield new DataView(padded.buffer, at, 64);
}

const scheduleOf = (block: DataView): Int32Array => {
  const work = new Int32Array(WORDS);
  for (let index = 0; index < WORDS; index++) {
    if (index < 16) {
      work[index] = block.getInt32(index * 4);
      continue;
    }
    const [w16 = 0, w15 = 0, w7 = 0, w2 = 0] = [work[index - 16], work[index - 15], work[index - 7], work[index - 2]];
    const small = rotated(w15, 7) ^ rotated(w15, 18) ^ (w15 >>> 3);
    const large = rotated(w2, 17) ^ rotated(w2, 19) ^ (w2 >>> 10);
    work[index] = (w16 + small + w7 + large) | 0;
  }
  return work;
};
