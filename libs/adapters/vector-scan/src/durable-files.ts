import { open, rmdir, type FileHandle } from 'node:fs/promises';
import { KnowledgeError, Unavailable } from '@palimpsest/knowledge';

/** Runs something on the disk; what the operating system refuses becomes `Unavailable`. */
export const storage = async <T>(doing: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof KnowledgeError) throw error;
    throw new Unavailable(`${doing}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
};

/** One `write` may write less than it was given. */
export const writeFully = async (handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> => {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
};

/** Makes names of files and folders durable. Windows cannot, and does not need it: there a missing right is no fault. */
export const syncFolders = async (folders: readonly string[]): Promise<void> => {
  for (const folder of folders) {
    try {
      const handle = await open(folder, 'r');
      try {
        await handle.sync();
      } finally {
        await handle.close();
      }
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (process.platform !== 'win32' || (code !== 'EPERM' && code !== 'EISDIR')) throw error;
    }
  }
};

/** Removes empty folders from the first on, until one that is not empty, or the last, which always stays; durably. */
export const removeEmptyFolders = async (folders: readonly string[]): Promise<void> => {
  for (const [i, folder] of folders.entries()) {
    if (i < folders.length - 1) {
      try {
        await rmdir(folder);
        continue;
      } catch (error) {
        const code = (error as NodeJS.ErrnoException).code;
        if (code === 'ENOENT') continue;
        if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
      }
    }
    return syncFolders([folder]);
  }
};
