import { randomBytes } from 'node:crypto';
import { rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, writeSynced } from '@palimpsest/foundation';
import { Unavailable } from '@palimpsest/knowledge/errors';

/** With less free space, even a small document may fail: its upload, its events and the pages of the log need space. */
const MIN_FREE_BYTES = 1024 * 1024;
/** Only one process uses a folder, so a file that a killed process left can be overwritten. */
const FILE = 'write-check';
/** Bytes of the test file: a quota, a failing disk or a read-only mount is not visible in the free space. */
const WRITTEN_BYTES = 64 * 1024;

/**
 * Checks what accepting a document needs: free space in the folder, and a file that can be written and synced. The file is
 * removed again.
 * @throws Unavailable with the reason
 */
export const checkWrites = async (folder: string): Promise<void> => {
  const file = join(folder, FILE);
  try {
    const { bavail, bsize } = await statfs(folder);
    if (bavail * bsize < MIN_FREE_BYTES) throw new Unavailable(`less than ${MIN_FREE_BYTES} bytes are free in ${folder}`);
    // Random bytes, because a compressing file system would not store zeros.
    await writeSynced(file, [randomBytes(WRITTEN_BYTES)], 'w', 0o600);
  } catch (cause) {
    if (cause instanceof Unavailable) throw cause;
    throw new Unavailable(`cannot write to ${folder} (${errorCode(cause) ?? String(cause)})`, { cause });
  } finally {
    await rm(file, { force: true }).catch(() => undefined);
  }
};
