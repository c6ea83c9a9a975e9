import { Corrupt } from '@palimpsest/knowledge/errors';
import { blobKey, type BlobKey, type BlobStore, type Checkpoints } from '@palimpsest/knowledge/ports';
import { position, START, type Position } from '@palimpsest/knowledge/values';

/**
 * Checkpoints as small blobs, `<prefix>/<name>`, so that a follower that moves to another machine resumes where it was. The last
 * `set` wins: within a process the last call, among several processes the last to arrive. A position
 * that moves back makes a follower see events again, which followers must tolerate anyway. The position is always one that was set.
 * `close` waits for writes in progress, and leaves the blob store open.
 * @throws InvalidValue for a prefix, and at `get` and `set` a name, that cannot be part of a blob's key
 */
export const openBlobCheckpoints = (blobs: BlobStore, prefix = 'checkpoints'): Checkpoints => {
  const root = blobKey(prefix);
  const keyOf = (name: string): BlobKey => blobKey(`${root}/${name}`);
  const writing = new Map<BlobKey, Promise<void>>();
  return {
    async get(name: string): Promise<Position> {
      const key = keyOf(name);
      const bytes = await blobs.get(key);
      return bytes === undefined ? START : decoded(key, bytes);
    },
    async set(name: string, reached: Position): Promise<void> {
      const key = keyOf(name);
      const bytes = encoded(reached);
      // Sequentially: concurrent writes could arrive in the wrong order.
      const write = (writing.get(key) ?? Promise.resolve()).catch(() => undefined).then(() => blobs.put(key, bytes));
      writing.set(key, write);
      await write.finally(() => writing.get(key) === write && writing.delete(key));
    },
    async close(): Promise<void> {
      await Promise.allSettled(writing.values());
    },
  };
};

const encoded = (reached: Position): Uint8Array => new TextEncoder().encode(JSON.stringify({ position: String(reached) }));

const decoded = (key: BlobKey, bytes: Uint8Array): Position => {
  try {
    const { position: raw } = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as { position: unknown };
    return position(raw);
  } catch (cause) {
    throw new Corrupt(`blob "${key}" is not a checkpoint`, { cause });
  }
};
