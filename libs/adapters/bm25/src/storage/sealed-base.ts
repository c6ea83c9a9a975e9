import { randomBytes } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import { SEALED_EXTRA, type FileSeal } from '@palimpsest/contracts';
import { ifCode } from '@palimpsest/foundation';
import { Damaged, openPiece } from './damaged.ts';

/*
 * The base file on disk: magic, version (one character), id of the file (8 bytes), then the contents (`base-file.ts`) in sealed pieces. The
 * contents have their length, so that a lost piece at the end is noticed. Version 1 is the contents in the clear.
 */
const MAGIC = 'PLXSEAL';
const VERSION = '2';
const ID_AT = MAGIC.length + VERSION.length;
const HEAD_BYTES = ID_AT + 8;
/** Small, so that reading and writing a large file needs little more memory than its contents. */
const PIECE_BYTES = 1 << 18;

export type SealOf = (id: string) => Promise<FileSeal>;

/** Yields the file, in order. */
export function* sealBase(contents: readonly Uint8Array[], id: string, seal: FileSeal): Generator<Uint8Array> {
  yield Buffer.concat([Buffer.from(MAGIC + VERSION), Buffer.from(id, 'hex')]);
  const piece = new Uint8Array(PIECE_BYTES);
  let [filled, number] = [0, 0];
  for (const part of contents)
    for (let from = 0; from < part.length;) {
      const taken = part.subarray(from, from + PIECE_BYTES - filled);
      piece.set(taken, filled);
      filled += taken.length;
      from += taken.length;
      if (filled < PIECE_BYTES) continue;
      yield seal.seal(piece, number++);
      filled = 0;
    }
  if (filled > 0) yield seal.seal(piece.subarray(0, filled), number);
}

export const newId = (): string => randomBytes(HEAD_BYTES - ID_AT).toString('hex');

/**
 * Returns the contents at the start of their own memory, because arrays are used in place; undefined without a file. `isClear`: an
 * earlier version wrote them, unsealed.
 * @throws Damaged
 */
export const readBase = async (
  path: string,
  sealOf: SealOf,
): Promise<Readonly<{ contents: Buffer; size: number; isClear: boolean }> | undefined> => {
  const file = await open(path, 'r').catch(ifCode('ENOENT', undefined));
  if (file === undefined) return undefined;
  try {
    const { size } = await file.stat();
    const head = await readAt(file, Buffer.alloc(Math.min(HEAD_BYTES, size)), 0);
    if (!head.toString('latin1').startsWith(MAGIC))
      return { contents: await readAt(file, Buffer.allocUnsafeSlow(size), 0), size, isClear: true };
    const version = head.toString('latin1', MAGIC.length, ID_AT);
    if (version !== VERSION) throw new Damaged(`the base file has version ${version}, not ${VERSION}`);
    return { contents: await openPieces(file, size, await sealOf(head.toString('hex', ID_AT))), size, isClear: false };
  } finally {
    await file.close();
  }
};

const openPieces = async (file: FileHandle, size: number, seal: FileSeal): Promise<Buffer> => {
  const sealedBytes = PIECE_BYTES + SEALED_EXTRA;
  const pieces = Math.ceil((size - HEAD_BYTES) / sealedBytes);
  const contents = Buffer.allocUnsafeSlow(Math.max(0, size - HEAD_BYTES - pieces * SEALED_EXTRA));
  const space = Buffer.allocUnsafeSlow(Math.min(sealedBytes, size));
  for (let number = 0; number < pieces; number++) {
    const at = HEAD_BYTES + number * sealedBytes;
    const sealed = await readAt(file, space.subarray(0, Math.min(sealedBytes, size - at)), at);
    contents.set(openPiece(seal, sealed, number), number * PIECE_BYTES);
  }
  return contents;
};

/** Fills `into`. @throws Damaged when the file ends before */
const readAt = async (file: FileHandle, into: Buffer, at: number): Promise<Buffer> => {
  for (let done = 0; done < into.length;) {
    const { bytesRead } = await file.read(into, done, into.length - done, at + done);
    if (bytesRead === 0) throw new Damaged(`the base file ends at byte ${at + done}`);
    done += bytesRead;
  }
  return into;
};
