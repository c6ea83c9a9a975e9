import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';

/** Position u64 | CRC-32 of these eight bytes, little-endian. */
const BYTES = 12;

/**
 * How far the log was acknowledged, in a file of its own beside it. SQLite takes a damaged end of its write-ahead file for a write
 * that never came to an end; this tells the difference. Written behind each commit and never synced: that costs nothing, a kill
 * loses nothing of it, and after a power cut it may say too little, never too much.
 */
export class AcknowledgedHead {
  readonly path: string;
  readonly #handle: number;
  #last = 0;

  constructor(file: string) {
    this.path = `${file}.head`;
    this.#handle = openSync(this.path, constants.O_RDWR | constants.O_CREAT, 0o600);
  }

  /** 0 when it says nothing that can be trusted: it is new, or damaged itself. */
  read(): number {
    const bytes = Buffer.alloc(BYTES);
    if (readSync(this.#handle, bytes, 0, BYTES, 0) < BYTES || crc32(bytes.subarray(0, 8)) !== bytes.readUInt32LE(8)) return 0;
    return Number(bytes.readBigUInt64LE(0));
  }

  /** The log has these events by now, so that a disk that refuses this has no say in it. */
  reached(position: number): void {
    if (position <= this.#last) return;
    const bytes = Buffer.alloc(BYTES);
    bytes.writeBigUInt64LE(BigInt(position), 0);
    bytes.writeUInt32LE(crc32(bytes.subarray(0, 8)), 8);
    try {
      writeSync(this.#handle, bytes, 0, BYTES, 0);
      this.#last = position;
    } catch {
      // It says less than it could until the next one.
    }
  }

  close(): void {
    closeSync(this.#handle);
  }
}
