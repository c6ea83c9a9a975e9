/** Counts tokens. The count of a text is the sum of the counts of its words (runs without blanks). */
type TokenCount = Readonly<{ count: (text: string) => number }>;

/**
 * Maximum UTF-16 units of a token. Tokens of real tokenizers have 4 units on average. A longer token (a long row of dashes, an unknown
 * word that the model reads as one token) counts as several, so that a limit in tokens is also a limit in characters.
 */
export const LONGEST_TOKEN = 16;

/** Maximum UTF-16 units of a word; longer words are counted in pieces, so that no step takes long. */
const LONGEST_WORD = 64;
/** Number of words between two pauses. */
const STEP = 128;

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const BLANK = /\s/u;
/** Lookup table by UTF-16 unit: testing each unit with an expression would take most of the time. */
let blanks: Uint8Array | undefined;
const blankTable = (): Uint8Array =>
  (blanks ??= Uint8Array.from({ length: 0x10000 }, (_, unit) => (BLANK.test(String.fromCharCode(unit)) ? 1 : 0)));

/** Word starts of a text with cumulative token counts, so that any part can be measured without counting it again. */
export class TextTokens {
  readonly length: number;
  readonly #text: string;
  readonly #window: TokenCount;
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  /** Tokens before each word; the last entry is the total. */
  readonly #before: number[] = [0];

  private constructor(text: string, window: TokenCount) {
    this.#text = text;
    this.length = text.length;
    this.#window = window;
  }

  /** For `runCooperatively` or `runToCompletion`: a long text takes a while. */
  static *of(text: string, window: TokenCount): Generator<undefined, TextTokens> {
    const tokens = new TextTokens(text, window);
    const blank = blankTable();
    for (let at = 0, words = 0, gap = 0; at < text.length;) {
      if (blank[text.charCodeAt(at)] === 1) {
        at++;
        gap++;
        continue;
      }
      const start = at;
      const max = Math.min(text.length, start + LONGEST_WORD);
      while (at < max && blank[text.charCodeAt(at)] === 0) at++;
      if (at === max && at < text.length && isHighSurrogate(text.charCodeAt(at - 1))) at++;
      tokens.#add(start, at, gap);
      gap = 0;
      if (++words % STEP === 0) yield;
    }
    return tokens;
  }

  /** Tokens of a part; at least one per 16 UTF-16 units. */
  size(start: number, end: number): number {
    const min = Math.ceil((end - start) / LONGEST_TOKEN);
    const first = this.#wordAt(start);
    const next = this.#wordAt(end);
    // Words that the part covers only partly.
    const head = first > 0 ? Math.min(end, this.#end(first - 1)) : start;
    const whole = next > first && this.#end(next - 1) > end ? next - 1 : next;
    let tokens = whole > first ? this.#tokensBefore(whole) - this.#tokensBefore(first) : 0;
    if (head > start) tokens += this.#count(start, head);
    if (whole < next) tokens += this.#count(this.#starts[whole] ?? end, end);
    return Math.max(tokens, min);
  }

  /** End of a part of about `size` tokens that starts at `offset`; between words unless a single word is too long. */
  advance(offset: number, size: number): number {
    const from = this.#wordAt(offset);
    const limit = this.#tokensBefore(from) + size;
    // The last word start with at most `size` tokens before it.
    let low = from;
    let high = this.#starts.length;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.#tokensBefore(middle) <= limit) low = middle;
      else high = middle - 1;
    }
    const end = low === this.#starts.length ? this.length : (this.#starts[low] ?? this.length);
    const inWord = end <= offset ? this.#into(low, limit - this.#tokensBefore(low)) : end;
    return Math.min(this.length, Math.max(offset + 1, inWord), offset + Math.max(1, Math.floor(size * LONGEST_TOKEN)));
  }

  /** Start of a part of about `size` tokens that ends at `offset`. */
  back(offset: number, size: number): number {
    const to = this.#wordAt(offset);
    const limit = this.#tokensBefore(to) - size;
    let low = 0;
    let high = to;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#tokensBefore(middle) < limit) low = middle + 1;
      else high = middle;
    }
    const start = low < this.#starts.length ? (this.#starts[low] ?? 0) : this.length;
    return Math.max(0, Math.min(start, offset), offset - Math.floor(size * LONGEST_TOKEN));
  }

  #add(start: number, end: number, gap: number): void {
    const before = this.#before.at(-1) ?? 0;
    const tokens = this.#count(start, end);
    this.#starts.push(start);
    this.#ends.push(end);
    // The tokens of a wide gap are added to the following word.
    this.#before.push(before + Math.max(tokens, Math.ceil((end - start) / LONGEST_TOKEN)) + Math.floor(gap / LONGEST_TOKEN));
  }

  #count(start: number, end: number): number {
    return this.#window.count(this.#text.slice(start, end));
  }

  /** Offset inside a long word after about `size` of its tokens. */
  #into(word: number, size: number): number {
    const [start, end] = [this.#starts[word] ?? this.length, this.#end(word)];
    const tokens = Math.max(1, this.#tokensBefore(word + 1) - this.#tokensBefore(word));
    return start + Math.floor(((end - start) * Math.max(0, size)) / tokens);
  }

  #tokensBefore(word: number): number {
    return this.#before[word] ?? 0;
  }

  #end(word: number): number {
    return this.#ends[word] ?? this.length;
  }

  /** First word that starts at or after `offset`. */
  #wordAt(offset: number): number {
    let low = 0;
    let high = this.#starts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#starts[middle] ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
