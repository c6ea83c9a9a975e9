import { open, rename, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Writes a file so that after a crash either all of it is there, or what was there before. */
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

/** Makes the names in a folder survive a crash: new files, and renamed ones. */
export const syncFolder = async (path: string): Promise<void> => {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
};

/** The same of one that may be gone. */
export const syncFolderIfAny = async (path: string): Promise<void> => {
  await syncFolder(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
};
