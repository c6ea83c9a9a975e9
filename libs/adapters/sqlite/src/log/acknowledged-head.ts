import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';

/** Position u64 | CRC-32 of these eight bytes, little-endian. */
const BYTES = 12;

/**
 * Stores the last acknowledged position in a separate file next to the log. SQLite treats a damaged end of its write-ahead file as an
 * incomplete write; this file shows the difference. It is written after each commit and never synced, which costs nothing. A kill of
 * the process does not affect it. After a power failure its position may be too low, but never too high.
 */
export class AcknowledgedHead {
  readonly path: string;
  readonly #handle: number;
  #last = 0;

  constructor(file: string) {
    this.path = `${file}.head`;
    this.#handle = openSync(this.path, constants.O_RDWR | constants.O_CREAT, 0o600);
  }

  /** Returns 0 when the file is new or damaged. */
  read(): number {
    const bytes = Buffer.alloc(BYTES);
    if (readSync(this.#handle, bytes, 0, BYTES, 0) < BYTES || crc32(bytes.subarray(0, 8)) !== bytes.readUInt32LE(8)) return 0;
    return Number(bytes.readBigUInt64LE(0));
  }

  /** Failures are ignored: the log already has these events. */
  reached(position: number): void {
    if (position <= this.#last) return;
    const bytes = Buffer.alloc(BYTES);
    bytes.writeBigUInt64LE(BigInt(position), 0);
    bytes.writeUInt32LE(crc32(bytes.subarray(0, 8)), 8);
    try {
      writeSync(this.#handle, bytes, 0, BYTES, 0);
      this.#last = position;
    } catch {
      // The stored position is too low until the next commit.
    }
  }

  close(): void {
    closeSync(this.#handle);
  }
}
