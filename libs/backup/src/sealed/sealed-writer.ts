import { randomBytes, type KeyObject } from 'node:crypto';
import { CHUNK_BYTES, chunkKey, sealChunk } from './sealed-chunks.ts';
import { makeHeader, type Purpose } from './sealed-header.ts';
import type { Secret, ScryptCosts } from './secret.ts';

/** Where the bytes go, in order. A file does it; specs give one that fails. */
export interface ByteSink {
  write(bytes: Uint8Array): Promise<void>;
}

/** Seals a stream of bytes of any length; holds one chunk in memory. */
export class SealedWriter {
  readonly #sink: ByteSink;
  readonly #key: KeyObject;
  readonly #pending = Buffer.alloc(CHUNK_BYTES);
  #filled = 0;
  #index = 0;
  #written: number;

  private constructor(sink: ByteSink, key: KeyObject, written: number) {
    this.#sink = sink;
    this.#key = key;
    this.#written = written;
  }

  static async begin(sink: ByteSink, purpose: Purpose, secret: Secret, costs?: ScryptCosts): Promise<SealedWriter> {
    const { header, key } = await makeHeader(purpose, secret, randomBytes(32), costs);
    await sink.write(header);
    return new SealedWriter(sink, chunkKey(key), header.length);
  }

  /** Bytes of the file so far. */
  get written(): number {
    return this.#written;
  }

  /** A promise only when something had to be written: most calls just fill the chunk. */
  add(bytes: Uint8Array): Promise<void> | undefined {
    if (this.#filled + bytes.length <= CHUNK_BYTES) {
      this.#pending.set(bytes, this.#filled);
      this.#filled += bytes.length;
      return undefined;
    }
    return this.#addMore(bytes);
  }

  async #addMore(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      // Only when more follows: the last chunk must be known as such.
      if (this.#filled === CHUNK_BYTES) await this.#flush(false);
      const part = bytes.subarray(at, at + CHUNK_BYTES - this.#filled);
      this.#pending.set(part, this.#filled);
      this.#filled += part.length;
      at += part.length;
    }
  }

  /** Writes the last chunk; nothing may be added after it. */
  async finish(): Promise<void> {
    await this.#flush(true);
  }

  async #flush(last: boolean): Promise<void> {
    const sealed = sealChunk(this.#key, this.#index, last, this.#pending.subarray(0, this.#filled));
    this.#index += 1;
    this.#filled = 0;
    await this.#sink.write(sealed);
    this.#written += sealed.length;
  }
}
