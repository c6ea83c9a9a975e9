import { open, type FileHandle } from 'node:fs/promises';
import { readArchive } from './archive/archive-reader.ts';
import type { Manifest } from './archive/manifest.ts';
import { withReadableErrors } from './file-faults.ts';
import { openSealedFile } from './sealed/sealed-reader.ts';
import type { Secret } from './sealed/secret.ts';

/** Reads the whole backup and compares it with its manifest. @throws UnusableFile, WrongSecret */
export const checkBackup = (file: string, secret: Secret, signal?: AbortSignal): Promise<Manifest> =>
  withReadableErrors(`read ${file}`, async () => {
    const handle = await open(file, 'r');
    try {
      return await checkHandle(handle, secret, signal);
    } finally {
      await handle.close();
    }
  });

/** The same for an open file. `onRead` is called with the number of bytes read so far. */
export const checkHandle = (
  handle: FileHandle,
  secret: Secret,
  signal?: AbortSignal,
  onRead?: (bytes: number) => void,
): Promise<Manifest> => {
  const checkAborted = (): void => signal?.throwIfAborted();
  return readArchive(counted(openSealedFile(handle, 'backup', secret), onRead), {
    streams: checkAborted,
    event: () => undefined,
    truncated: checkAborted,
    blob: checkAborted,
    file: checkAborted,
  });
};

export async function* counted(chunks: AsyncGenerator<Buffer>, onRead: ((bytes: number) => void) | undefined): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    onRead?.(bytes);
    yield chunk;
  }
}
