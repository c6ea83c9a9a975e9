import { decodeHead, encodeHead, headBytes, matches } from '@palimpsest/foundation';

const HEADER = headBytes(0);

/**
 * An empty frame that a flush appends after making the previous frames durable. The frame before it is then no longer the last one of
 * the file. If it does not match its checksum later, it is damaged, and not an incomplete append.
 */
export const FLUSHED: Buffer = Buffer.alloc(0);

/** Returns a payload with its header, ready to be appended. */
export const frame = (payload: Uint8Array): Buffer => Buffer.concat([encodeHead(payload), payload]);

/**
 * `frames`: the complete frames, and where each begins. `end`: where the last complete frame ends. Bytes after it are an append that a crash interrupted, and have to be truncated.
 * `damage`: set when the file has a defect that an interrupted append cannot explain.
 */
export type Frames = Readonly<{ frames: readonly Frame[]; end: number; damage?: string }>;
export type Frame = Readonly<{ at: number; payload: Buffer }>;

export const readFrames = (bytes: Buffer): Frames => {
  const frames: Frame[] = [];
  let at = 0;
  while (at < bytes.length) {
    const rest = bytes.subarray(at);
    if (rest.length < HEADER || rest.every((byte) => byte === 0)) break;
    const head = decodeHead(rest);
    if (head === undefined) return { frames, end: at, damage: `no frame begins at byte ${at}` };
    const end = HEADER + head.length;
    if (end > rest.length) break;
    const payload = rest.subarray(HEADER, end);
    if (!matches(payload, head)) {
      // A crash may leave the last frame with its full length but missing bytes. In an earlier frame, a mismatch is damage.
      if (end === rest.length) break;
      return { frames, end: at, damage: `the frame at byte ${at} does not match its checksum` };
    }
    frames.push({ at, payload });
    at += end;
  }
  return { frames, end: at };
};
