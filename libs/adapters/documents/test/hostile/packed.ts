import { constants, crc32, deflateRawSync } from 'node:zlib';

/** A deflate stream with the size and checksum that a zip declares for it. */
export type Packed = Readonly<{ raw: Buffer; size: number; crc: number }>;

const BLOCK = 1 << 20;

export const packed = (content: Buffer): Packed => ({ raw: deflateRawSync(content), size: content.length, crc: crc32(content) });

/**
 * Repeats `unit`, about `size` bytes when expanded, between `head` and `tail`; only one block is compressed. Its checksum is wrong,
 * which readers notice only at the end.
 */
export function swelling(unit: string, size: number, head = '', tail = ''): Packed {
  const block = Buffer.from(unit.repeat(Math.ceil(BLOCK / unit.length)));
  const blocks = Math.ceil(size / block.length);
  const flushed = (content: Buffer): Buffer => deflateRawSync(content, { level: 9, finishFlush: constants.Z_FULL_FLUSH });
  const body = flushed(block);
  const raw = Buffer.concat([flushed(Buffer.from(head)), ...Array.from({ length: blocks }, () => body), deflateRawSync(Buffer.from(tail))]);
  return { raw, size: head.length + blocks * block.length + tail.length, crc: 0 };
}
