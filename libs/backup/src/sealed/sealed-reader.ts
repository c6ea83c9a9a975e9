import type { FileHandle } from 'node:fs/promises';
import { CHUNK_BYTES, chunkKey, openChunk, TAG_BYTES } from './sealed-chunks.ts';
import { HEADER_BYTES, openHeader, type Purpose } from './sealed-header.ts';
import type { Secret } from './secret.ts';
import { UnusableFile } from './refusal.ts';

const SEALED_BYTES = CHUNK_BYTES + TAG_BYTES;

/** Yields the plain bytes of a sealed file chunk by chunk, each after it was authenticated. @throws UnusableFile, WrongSecret */
export async function* openSealedFile(file: FileHandle, purpose: Purpose, secret: Secret): AsyncGenerator<Buffer> {
  const key = chunkKey(await openHeader(await readAt(file, 0, HEADER_BYTES), purpose, secret));
  const { size } = await file.stat();
  let at = HEADER_BYTES;
  for (let index = 0; ; index += 1) {
    const sealed = await readAt(file, at, SEALED_BYTES);
    const last = at + sealed.length >= size;
    const plain = openChunk(key, index, last, sealed);
    if (plain === undefined) throw openingError(index, at, last, openChunk(key, index, !last, sealed) !== undefined);
    yield plain;
    if (last) return;
    at += sealed.length;
  }
}

const openingError = (index: number, at: number, last: boolean, opensOtherwise: boolean): UnusableFile => {
  if (opensOtherwise)
    return new UnusableFile(last ? 'the file is truncated: its end is missing' : 'there are bytes after the end of the file');
  return last
    ? new UnusableFile(`the file is truncated, or damaged in its last chunk (from byte ${at})`)
    : new UnusableFile(
        `the file is damaged, or its chunks are not in the right order: chunk ${index} (from byte ${at}) is not the one that was sealed there`,
      );
};

/** Returns fewer bytes only at the end of the file. */
const readAt = async (file: FileHandle, position: number, length: number): Promise<Buffer> => {
  const buffer = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(buffer, filled, length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
};
