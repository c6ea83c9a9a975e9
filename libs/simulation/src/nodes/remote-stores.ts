import type { BlobKey, BlobStore, Checkpoints } from '@palimpsest/knowledge/ports';
import type { Life } from '../kernel/world.ts';
import type { Network } from '../servers/network.ts';

export const remoteCheckpoints = (checkpoints: Checkpoints, network: Network, life: Life): Checkpoints => ({
  get: (name) => network.call(life, 'checkpoints', `get ${name}`, () => checkpoints.get(name)),
  set: (name, position) => network.call(life, 'checkpoints', `set ${name} ${position}`, () => checkpoints.set(name, position)),
  close: () => Promise.resolve(),
});

export const remoteBlobs = (blobs: BlobStore, network: Network, life: Life): BlobStore => ({
  put: (key, bytes) => network.call(life, 'blobs', `put ${key}`, () => blobs.put(key, bytes)),
  putIfAbsent: (key, bytes) => network.call(life, 'blobs', `put ${key} if absent`, () => blobs.putIfAbsent(key, bytes)),
  get: (key) => network.call(life, 'blobs', `get ${key}`, () => blobs.get(key)),
  exists: (key) => network.call(life, 'blobs', `has ${key}`, () => blobs.exists(key)),
  delete: (key) => network.call(life, 'blobs', `delete ${key}`, () => blobs.delete(key)),
  async *list(prefix) {
    const all: BlobKey[] = await network.call(life, 'blobs', `list ${prefix}`, async () => {
      const found: BlobKey[] = [];
      for await (const key of blobs.list(prefix)) found.push(key);
      return found;
    });
    yield* all;
  },
});
