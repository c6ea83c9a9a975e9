/** Strings up to this length are copied unit by unit. Below 0x80, so that the length is one byte. */
const MAX_COPIED = 64;

/** A growing byte buffer. Numbers are written seven bits at a time, lowest first; strings as their length followed by UTF-8. */
export class ByteWriter {
  #bytes = Buffer.allocUnsafe(4096);
  #length = 0;

  bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  /** A whole number from 0 to 2^53. */
  number(value: number): void {
    this.#reserve(8);
    let rest = value;
    while (rest >= 0x80) {
      this.#bytes[this.#length++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.#bytes[this.#length++] = rest;
  }

  text(value: string): void {
    if (value.length <= MAX_COPIED && this.#copied(value)) return;
    const length = Buffer.byteLength(value);
    this.number(length);
    this.#reserve(length);
    this.#length += this.#bytes.write(value, this.#length);
  }

  /** Writes a short ASCII string, as nearly all terms are, in a tenth of the time of two calls into the engine. False if it is not ASCII. */
  #copied(value: string): boolean {
    this.#reserve(1 + value.length);
    const bytes = this.#bytes;
    const start = this.#length + 1;
    for (let i = 0; i < value.length; i++) {
      const unit = value.charCodeAt(i);
      if (unit > 0x7f) return false;
      bytes[start + i] = unit;
    }
    bytes[start - 1] = value.length;
    this.#length = start + value.length;
    return true;
  }

  /** Writes an even number of hexadecimal digits as bytes, without a length. */
  hex(value: string): void {
    this.#reserve(value.length / 2);
    this.#length += this.#bytes.write(value, this.#length, 'hex');
  }

  #reserve(length: number): void {
    if (this.#length + length <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length + length));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

/** Reads what `ByteWriter` wrote. It does not validate the bytes, because their checksum was verified. */
export class ByteReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  number(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 0x80) {
      const byte = this.#bytes[this.#at++] as number;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  }

  text(): string {
    const length = this.number();
    return this.#bytes.toString('utf8', this.#at, (this.#at += length));
  }

  /** Returns where the UTF-8 of a string starts and ends, for callers that do not need a string. */
  textAt(): Readonly<{ start: number; end: number }> {
    const length = this.number();
    const start = this.#at;
    return { start, end: (this.#at += length) };
  }

  /** Returns a copy of the bytes that `ByteWriter.hex` wrote. */
  binary(length: number): Buffer {
    return Buffer.from(this.#bytes.subarray(this.#at, (this.#at += length)));
  }

  rest(): Buffer {
    return this.#bytes.subarray(this.#at);
  }

  hex(digits: number): string {
    return this.#bytes.toString('hex', this.#at, (this.#at += digits / 2));
  }
}
