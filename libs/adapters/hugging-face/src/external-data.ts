import { createReadStream } from 'node:fs';

/**
 * The names that occur in a file. An ONNX graph names the files that hold parts of its weights ("external data"); looking for their names
 * is enough to find them, and needs no reader of the format.
 */
export const namesIn = async (file: string, names: readonly string[]): Promise<readonly string[]> => {
  const missing = new Set(names);
  const found: string[] = [];
  const overlap = Math.max(1, ...names.map((name) => Buffer.byteLength(name)));
  let tail: Buffer = Buffer.alloc(0);
  if (missing.size === 0) return found;
  for await (const part of createReadStream(file, { highWaterMark: 1 << 20 })) {
    const window = Buffer.concat([tail, part as Buffer]);
    for (const name of missing)
      if (window.includes(name)) {
        missing.delete(name);
        found.push(name);
      }
    if (missing.size === 0) break;
    tail = window.subarray(Math.max(0, window.length - overlap));
  }
  return found;
};
