/**
 * The normalisation of SentencePiece as `tokenizer.json` stores it (`precompiled_charsmap`): a double-array trie from byte sequences to
 * positions in a block of texts. Format and order of look-ups are those of the Rust library `tokenizers`, which the models were published
 * with: a grapheme of less than six bytes is looked up as a whole, otherwise each of its characters.
 */
export const precompiledCharsmap = (base64: string): ((text: string) => string) => {
  const bytes = Buffer.from(base64, 'base64');
  const trieBytes = bytes.length < 4 ? 0 : bytes.readUInt32LE(0);
  if (bytes.length < 4 || trieBytes % 4 !== 0 || 4 + trieBytes > bytes.length) throw new Error('precompiled_charsmap is damaged');
  const trie = Uint32Array.from({ length: trieBytes / 4 }, (_, i) => bytes.readUInt32LE(4 + 4 * i));
  const texts = bytes.subarray(4 + trieBytes);

  const textAt = (start: number): string => texts.toString('utf8', start, texts.indexOf(0, start));
  /** What the shortest known prefix of the part is replaced by. */
  const replacementOf = (part: string): string | undefined => {
    const position = shortestMatch(trie, Buffer.from(part, 'utf8'));
    return position === undefined ? undefined : textAt(position);
  };
  const known = new Map<string, string>();
  const normalised = (grapheme: string): string => {
    const whole = Buffer.byteLength(grapheme) < LONGEST_WHOLE ? replacementOf(grapheme) : undefined;
    return whole ?? Array.from(grapheme, (character) => replacementOf(character) ?? character).join('');
  };
  const ofGrapheme = (grapheme: string): string => {
    const before = known.get(grapheme);
    if (before !== undefined) return before;
    const after = normalised(grapheme);
    if (known.size >= CACHED) known.clear();
    known.set(grapheme, after);
    return after;
  };
  return (text) => Array.from(GRAPHEMES.segment(text), ({ segment }) => ofGrapheme(segment)).join('');
};

const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });
const LONGEST_WHOLE = 6;
const CACHED = 20_000;

/** Follows the bytes from the root until an entry ends. A unit holds a label, whether an entry ends after it, and where its children are. */
const shortestMatch = (trie: Uint32Array, key: Uint8Array): number | undefined => {
  const offsetOf = (unit: number): number => (unit >>> 10) << ((unit & (1 << 9)) >>> 6);
  let at = offsetOf(trie[0] ?? 0);
  for (const byte of key) {
    if (byte === 0) return undefined;
    at ^= byte;
    const unit = trie[at] ?? 0;
    if ((unit & 0x800000ff) >>> 0 !== byte) return undefined;
    at ^= offsetOf(unit);
    if (((unit >>> 8) & 1) === 1) return (trie[at] ?? 0) & 0x7fffffff;
  }
  return undefined;
};
