import { open, type FileHandle } from 'node:fs/promises';
import { readArchive } from './archive/archive-reader.ts';
import type { Manifest } from './archive/manifest.ts';
import { inOurWords } from './file-faults.ts';
import { openSealedFile } from './sealed/sealed-reader.ts';
import type { Secret } from './sealed/secret.ts';

/** Opens and reads all of it, and holds it against its manifest. @throws UnusableFile, WrongSecret */
export const checkBackup = (file: string, secret: Secret, signal?: AbortSignal): Promise<Manifest> =>
  inOurWords(`read ${file}`, async () => {
    const handle = await open(file, 'r');
    try {
      return await checkHandle(handle, secret, signal);
    } finally {
      await handle.close();
    }
  });

/** The same for a file that is open. `tell` is called with the bytes read so far. */
export const checkHandle = (handle: FileHandle, secret: Secret, signal?: AbortSignal, tell?: (bytes: number) => void): Promise<Manifest> => {
  const nothing = (): void => signal?.throwIfAborted();
  return readArchive(counted(openSealedFile(handle, 'backup', secret), tell), { streams: nothing, event: () => undefined, blob: nothing, file: nothing });
};

export async function* counted(chunks: AsyncGenerator<Buffer>, tell: ((bytes: number) => void) | undefined): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    tell?.(bytes);
    yield chunk;
  }
}
