import type { KeyObject } from 'node:crypto';
import { SYSTEM } from '@palimpsest/foundation';
import { CHUNK_BYTES, chunkKey, sealChunk } from './sealed-chunks.ts';
import { makeHeader, type Purpose } from './sealed-header.ts';
import type { Secret, ScryptCosts } from './secret.ts';

/** Receives the bytes in order: a file, or a failing sink in specs. */
export interface ByteSink {
  write(bytes: Uint8Array): Promise<void>;
}

/** Seals a stream of bytes of any length, with one chunk in memory. */
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
    const { header, key } = await makeHeader(purpose, secret, SYSTEM.random.bytes(32), costs);
    await sink.write(header);
    return new SealedWriter(sink, chunkKey(key), header.length);
  }

  /** Bytes written to the file so far. */
  get written(): number {
    return this.#written;
  }

  /** Returns a promise only when something was written; most calls only fill the chunk. */
  add(bytes: Uint8Array): Promise<void> | undefined {
    if (this.#filled + bytes.length <= CHUNK_BYTES) {
      this.#pending.set(bytes, this.#filled);
      this.#filled += bytes.length;
      return undefined;
    }
    return this.#addMore(bytes);
  }

  async #addMore(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length;) {
      // Only when more bytes follow: the last chunk must be marked as such.
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
