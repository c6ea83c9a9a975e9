import { PutObjectCommand } from '@aws-sdk/client-s3';
import { Corrupt } from '@palimpsest/knowledge/errors';
import { blobKey, type BlobStore } from '@palimpsest/knowledge/ports';
import { describeBlobStore, describeCheckpoints } from '@palimpsest/test-kit';
import { openBlobCheckpoints } from '../src/blob-checkpoints.ts';
import { aStore, bareClient, BUILD_MS, startS3 } from '../test/s3-server.ts';

let server: Awaited<ReturnType<typeof startS3>>;
beforeAll(async () => {
  server = await startS3();
}, BUILD_MS);
afterAll(() => server.dispose());

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

const keysOf = async (store: BlobStore, prefix: string): Promise<string[]> => {
  const keys: string[] = [];
  for await (const key of store.list(prefix)) keys.push(key);
  return keys;
};

describeBlobStore('S3BlobStore', () => aStore(server.access));
describeCheckpoints('Checkpoints on S3', async () => {
  const under = await aStore(server.access);
  const checkpoints = openBlobCheckpoints(under.store);
  return { checkpoints, reopen: async () => openBlobCheckpoints(await under.reopen()), dispose: () => under.dispose() };
});

describe('S3BlobStore', () => {
  it('lists more blobs than a page of the store holds', async () => {
    const { store, dispose } = await aStore(server.access);
    const names = Array.from({ length: 1_005 }, (_, i) => `many/${i}`);
    await Promise.all(names.map((name) => store.put(blobKey(name), bytes(name))));
    expect((await keysOf(store, 'many')).sort()).toEqual(names.sort());
    await dispose();
  });

  it('neither lists nor trusts an object that another program wrote', async () => {
    const { access } = server;
    const { store, dispose } = await aStore(access, { prefix: 'strangers' });
    const client = bareClient(access);
    for (const Key of ['strangers/a.txt', 'strangers/~bin', 'strangers/b~bin'])
      await client.send(new PutObjectCommand({ Bucket: access.bucket, Key, Body: 'from a stranger' }));
    client.destroy();
    expect(await keysOf(store, '')).toEqual(['b']);
    await expect(store.get(blobKey('b'))).rejects.toThrow(Corrupt);
    await dispose();
  });

  it('separates stores under different prefixes of a bucket', async () => {
    const [one, other] = [await aStore(server.access), await aStore(server.access)];
    await one.store.put(blobKey('a'), bytes('one'));
    expect(await other.store.get(blobKey('a'))).toBeUndefined();
    expect(await keysOf(other.store, '')).toEqual([]);
    await Promise.all([one.dispose(), other.dispose()]);
  });

  it('writes and reads a hundred blobs concurrently over a few connections', async () => {
    const { store, dispose } = await aStore(server.access, { maxSockets: 4 });
    const keys = Array.from({ length: 100 }, (_, i) => blobKey(`at-once/${i}`));
    await Promise.all(keys.map((key) => store.put(key, bytes(key))));
    expect(await Promise.all(keys.map((key) => store.get(key)))).toEqual(keys.map(bytes));
    await dispose();
  });
});
