import { crc32 } from 'node:zlib';

// A frame: tags (as many as the file format has) | length of the payload | CRC-32 of the payload | CRC-32 of the words before | payload.
// Tags, length and checksums are 32-bit words, little-endian.

/** `length` and `checksum` of the payload. */
export type FrameHead = Readonly<{ tags: readonly number[]; length: number; checksum: number }>;

export const headBytes = (tags: number): number => 4 * (tags + 3);

export const encodeHead = (payload: Uint8Array, ...tags: readonly number[]): Buffer => {
  const head = Buffer.allocUnsafe(headBytes(tags.length));
  let at = 0;
  for (const word of [...tags, payload.length, crc32(payload)]) at = head.writeUInt32LE(word, at);
  head.writeUInt32LE(crc32(head.subarray(0, at)), at);
  return head;
};

/** The head at the start of `bytes`; undefined if there is none. */
export const decodeHead = (bytes: Buffer, tags = 0): FrameHead | undefined => {
  const end = headBytes(tags);
  if (bytes.length < end || crc32(bytes.subarray(0, end - 4)) !== bytes.readUInt32LE(end - 4)) return undefined;
  return {
    tags: Array.from({ length: tags }, (_, i) => bytes.readUInt32LE(4 * i)),
    length: bytes.readUInt32LE(end - 12),
    checksum: bytes.readUInt32LE(end - 8),
  };
};

export const matches = (payload: Uint8Array, { checksum }: FrameHead): boolean => crc32(payload) === checksum;
