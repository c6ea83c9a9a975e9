import { InvalidValue } from '@palimpsest/knowledge/errors';

/** Deeper than any legitimate request. The time and stack for parsing grow with the depth. */
const MAX_DEPTH = 128;
/** More values than any legitimate request: large requests consist of one long text. */
const MAX_VALUES = 100_000;

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Scans JSON byte by byte as it arrives and counts only its depth and its values. The time to parse a text that passes depends
 * on its length alone; any other text is refused before it has arrived completely.
 */
export class JsonScan {
  /** Number of names in objects, including duplicates. */
  names = 0;
  #depth = 0;
  #values = 0;
  #inText = false;
  #escaped = false;

  /** @throws InvalidValue */
  add(bytes: Uint8Array): void {
    for (let i = 0; i < bytes.length; i++) {
      const byte = bytes[i];
      if (this.#inText) {
        if (this.#escaped) this.#escaped = false;
        else if (byte === BACKSLASH) this.#escaped = true;
        else if (byte === QUOTE) this.#inText = false;
      } else if (byte === QUOTE) this.#inText = true;
      else if (byte === OPEN_LIST || byte === OPEN_OBJECT) this.#open();
      else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) this.#depth--;
      else if (byte === COMMA || byte === COLON) this.#count(byte);
    }
  }

  #open(): void {
    this.#values++;
    if (++this.#depth > MAX_DEPTH) throw new InvalidValue('body', `JSON of at most ${MAX_DEPTH} levels`, 'more levels');
  }

  #count(byte: number): void {
    if (byte === COLON) this.names++;
    if (++this.#values > MAX_VALUES) throw new InvalidValue('body', `JSON of at most ${MAX_VALUES} values`, 'more values');
  }
}
