import { Corrupt } from '@palimpsest/knowledge/errors';
import { blobKey, type BlobKey } from '@palimpsest/knowledge/ports';
import { position } from '@palimpsest/knowledge/values';
import { describeCheckpoints, InMemoryBlobStore } from '@palimpsest/test-kit';
import { openBlobCheckpoints } from './blob-checkpoints.ts';

describeCheckpoints('Checkpoints in a blob store', async () => {
  const blobs = new InMemoryBlobStore();
  return {
    checkpoints: openBlobCheckpoints(blobs),
    reopen: async () => openBlobCheckpoints(blobs.reopened()),
    dispose: async () => undefined,
  };
});

/** A store whose first write takes longer than the later ones. */
class SlowAtFirst extends InMemoryBlobStore {
  #held: Promise<void> | undefined;

  constructor(held: Promise<void>) {
    super();
    this.#held = held;
  }

  override async put(key: BlobKey, bytes: Uint8Array): Promise<void> {
    const held = this.#held;
    this.#held = undefined;
    await held;
    await super.put(key, bytes);
  }
}

describe('Checkpoints in a blob store', () => {
  it('keep the last value, however long an earlier write takes, and close after it', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const checkpoints = openBlobCheckpoints(new SlowAtFirst(promise));
    const setting = [1n, 2n, 3n].map((reached) => checkpoints.set('relay', position(reached)));
    const closed = checkpoints.close();
    resolve();
    await closed;
    expect(await checkpoints.get('relay')).toBe(3n);
    await Promise.all(setting);
  });

  it('are stored as JSON under their name', async () => {
    const blobs = new InMemoryBlobStore();
    await openBlobCheckpoints(blobs, 'followers/at').set('relay', position('18446744073709551614'));
    expect(Buffer.from((await blobs.get(blobKey('followers/at/relay'))) ?? []).toString()).toBe('{"position":"18446744073709551614"}');
  });

  it.each(['no JSON', '{}', '{"position":7}', 'null'])('throw Corrupt for %s', async (content) => {
    const blobs = new InMemoryBlobStore();
    await blobs.put(blobKey('checkpoints/relay'), Buffer.from(content));
    await expect(openBlobCheckpoints(blobs).get('relay')).rejects.toThrow(Corrupt);
  });

  it('refuse a name that cannot be part of a key', async () => {
    const checkpoints = openBlobCheckpoints(new InMemoryBlobStore());
    await expect(checkpoints.get('../relay')).rejects.toMatchObject({ code: 'InvalidValue' });
    await expect(checkpoints.set('', position(1n))).rejects.toMatchObject({ code: 'InvalidValue' });
  });

  it('can be set after a failed write', async () => {
    const { promise, reject } = Promise.withResolvers<void>();
    const checkpoints = openBlobCheckpoints(new SlowAtFirst(promise));
    const failing = checkpoints.set('relay', position(1n));
    const following = checkpoints.set('relay', position(2n));
    reject(new Error('no room'));
    await expect(failing).rejects.toThrow('no room');
    await following;
    expect(await checkpoints.get('relay')).toBe(2n);
  });
});
