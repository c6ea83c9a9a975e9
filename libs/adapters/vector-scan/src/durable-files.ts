import type { FileHandle } from 'node:fs/promises';
import { syncFolder } from '@palimpsest/foundation';
import { KnowledgeError, Unavailable } from '@palimpsest/knowledge';

/** Runs disk operations and converts errors of the operating system to `Unavailable`. */
export const storage = async <T>(doing: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof KnowledgeError) throw error;
    throw new Unavailable(`${doing}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
};

/** Repeats `write`, because one call may write fewer bytes than requested. */
export const writeFully = async (handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> => {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
};

/** Makes the names of files and folders durable, one folder at a time. */
export const syncFolders = async (folders: readonly string[]): Promise<void> => {
  for (const folder of folders) await syncFolder(folder);
};
