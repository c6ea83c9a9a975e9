import { open, rename, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder } from './durable-folders.ts';

/** Repeats `write`, because one call may write fewer bytes than requested. Without `position`: at the current one. */
export const writeFully = async (file: FileHandle, bytes: Uint8Array, position?: number): Promise<void> => {
  for (let done = 0; done < bytes.length;)
    done += (await file.write(bytes, done, bytes.length - done, position === undefined ? null : position + done)).bytesWritten;
};

/** Makes everything that was written to the file durable. */
export const syncFile = async (path: string): Promise<void> => {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
};

/** Writes the pieces to a file, durably. Its name is durable after `syncFolder`. `flags`: as for `open`. */
export const writeSynced = async (
  path: string,
  pieces: Iterable<Uint8Array>,
  flags: 'w' | 'wx' | 'a' = 'w',
  mode = 0o666,
): Promise<void> => {
  const file = await open(path, flags, mode);
  try {
    for (const piece of pieces) await writeFully(file, piece);
    await file.sync();
  } finally {
    await file.close();
  }
};

/** Replaces a file atomically and durably: after a crash it has either the new or the old content. */
export const replaceFile = async (path: string, pieces: Iterable<Uint8Array>): Promise<void> => {
  const draft = `${path}.tmp`;
  await writeSynced(draft, pieces);
  await rename(draft, path);
  await syncFolder(dirname(path));
};
