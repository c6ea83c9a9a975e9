import { Readable } from 'node:stream';
import { TryAgain } from './retries.ts';

/**
 * Reads the body of an answer into its own memory, so that a Float32Array can be a view of it.
 * @throws TryAgain when it is truncated or makes no progress for `idleMs`
 */
export const readBody = async (body: unknown, length: number, idleMs: number): Promise<Uint8Array> => {
  if (!(body instanceof Readable)) throw new TryAgain('the answer has no body');
  const timer = setTimeout(() => body.destroy(new TryAgain(`no data for ${idleMs} ms`)), idleMs);
  try {
    const bytes = new Uint8Array(length);
    let read = 0;
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      timer.refresh();
      if (read + chunk.length > length) throw new TryAgain('the body is longer than announced');
      bytes.set(chunk, read);
      read += chunk.length;
    }
    if (read < length) throw new TryAgain('the body is shorter than announced');
    return bytes;
  } finally {
    clearTimeout(timer);
  }
};
