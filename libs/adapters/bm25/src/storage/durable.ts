import { open, rename, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder } from '@palimpsest/foundation';

/** Replaces a file atomically: after a crash it has either the new or the old content. */
export const replaceFile = async (path: string, pieces: readonly Uint8Array[]): Promise<void> => {
  const temporary = `${path}.tmp`;
  const file = await open(temporary, 'w');
  try {
    for (const piece of pieces) await writeAll(file, piece);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
  await syncFolder(dirname(path));
};

export const writeAll = async (file: FileHandle, bytes: Uint8Array): Promise<void> => {
  for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at)).bytesWritten;
};
