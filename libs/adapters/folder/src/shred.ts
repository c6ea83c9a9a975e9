import type { FileHandle } from 'node:fs/promises';

/** Overwrites a removed file with zeros, so that a disk that writes in place keeps none of its content. */
export const shred = async (file: FileHandle): Promise<void> => {
  const { size } = await file.stat();
  await file.write(Buffer.alloc(size), 0, size, 0);
  await file.sync();
};
