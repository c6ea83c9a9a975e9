/** Bytes that grow while they are written: numbers by seven bits (the lowest first), strings as UTF-8 behind their length. */
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
    const length = Buffer.byteLength(value);
    this.number(length);
    this.#reserve(length);
    this.#length += this.#bytes.write(value, this.#length);
  }

  /** An even number of hexadecimal digits, as bytes, without their length. */
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

/** Reads what `ByteWriter` wrote. The bytes were checksummed, so that it trusts them. */
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

  /** Where the UTF-8 of a string lies, for who needs no string. */
  textAt(): Readonly<{ start: number; end: number }> {
    const length = this.number();
    const start = this.#at;
    return { start, end: (this.#at += length) };
  }

  /** What `ByteWriter.hex` wrote, as bytes of their own. */
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
