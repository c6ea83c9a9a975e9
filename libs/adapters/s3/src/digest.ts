import { createHash, webcrypto } from 'node:crypto';

/** Above this size, a digest is computed on another thread: a gigabyte would block the event loop for a second. */
const ON_ANOTHER_THREAD_BYTES = 256 * 1024;

/** SHA-256. */
export const sha256Of = async (bytes: Uint8Array): Promise<Buffer> =>
  bytes.length < ON_ANOTHER_THREAD_BYTES
    ? createHash('sha256').update(bytes).digest()
    : Buffer.from(await webcrypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>));
