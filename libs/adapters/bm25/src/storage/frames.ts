import { crc32 } from 'node:zlib';

/** Length, checksum of the payload, checksum of these two: 32 bits each, little-endian. */
const HEADER = 12;

/**
 * An empty frame, written by a flush behind what it makes durable. So the last frame before it is no longer at the end of the
 * file, and if it does not match its checksum later on, that is damage, and not an append that a crash broke off.
 */
export const FLUSHED: Buffer = Buffer.alloc(0);

/** A payload with its header, ready to be appended. */
export const frame = (payload: Buffer): Buffer => {
  const framed = Buffer.allocUnsafe(HEADER + payload.length);
  framed.writeUInt32LE(payload.length, 0);
  framed.writeUInt32LE(crc32(payload), 4);
  framed.writeUInt32LE(crc32(framed.subarray(0, 8)), 8);
  payload.copy(framed, HEADER);
  return framed;
};

/**
 * `end`: where the last whole frame ends. What lies behind it is a torn tail, to be cut off: an append that a crash broke off.
 * `damage`: set when something is wrong that no broken-off append explains.
 */
export type Frames = Readonly<{ payloads: readonly Buffer[]; end: number; damage?: string }>;

export const readFrames = (bytes: Buffer): Frames => {
  const payloads: Buffer[] = [];
  let at = 0;
  while (at < bytes.length) {
    const rest = bytes.subarray(at);
    if (rest.length < HEADER || rest.every((byte) => byte === 0)) break;
    if (crc32(rest.subarray(0, 8)) !== rest.readUInt32LE(8)) return { payloads, end: at, damage: `no frame begins at byte ${at}` };
    const end = HEADER + rest.readUInt32LE(0);
    if (end > rest.length) break;
    const payload = rest.subarray(HEADER, end);
    if (crc32(payload) !== rest.readUInt32LE(4)) {
      // A crash may leave the last frame at its full length with bytes missing; further in, somebody changed them.
      if (end === rest.length) break;
      return { payloads, end: at, damage: `the frame at byte ${at} does not match its checksum` };
    }
    payloads.push(payload);
    at += end;
  }
  return { payloads, end: at };
};
