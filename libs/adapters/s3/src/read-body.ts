import { Readable } from 'node:stream';
import { TryAgain } from './retries.ts';

/**
 * Reads an answer's body into memory of its own, so that a Float32Array may lie over it.
 * @throws TryAgain when it is cut short or stands still for `idleMs`
 */
export const readBody = async (body: unknown, length: number, idleMs: number): Promise<Uint8Array> => {
  if (!(body instanceof Readable)) throw new TryAgain('an answer without a body');
  const timer = setTimeout(() => body.destroy(new TryAgain(`the body stood still for ${idleMs} ms`)), idleMs);
  try {
    const bytes = new Uint8Array(length);
    let read = 0;
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      timer.refresh();
      if (read + chunk.length > length) throw new TryAgain('a longer body than announced');
      bytes.set(chunk, read);
      read += chunk.length;
    }
    if (read < length) throw new TryAgain('a shorter body than announced');
    return bytes;
  } finally {
    clearTimeout(timer);
  }
};
