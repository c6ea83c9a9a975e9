import { setTimeout as sleep } from 'node:timers/promises';
import { blobKey, type BlobKey, type BlobStore } from '@palimpsest/knowledge/ports';
import { aStore, BUILD_MS, S3Server } from '../test/s3-server.ts';

const KILLS = 4;
const BLOB_BYTES = 60_000;

/** The content is determined by the key alone. */
const contentOf = (key: BlobKey): Uint8Array => new Uint8Array(BLOB_BYTES).map((_, i) => (key.charCodeAt(i % key.length) + i) % 256);

const writeUntil = async (store: BlobStore, name: string, over: () => boolean, written: Set<BlobKey>): Promise<void> => {
  for (let i = 0; !over(); i++) {
    const key = blobKey(`${name}/${i}`);
    const write =
      i % 2 === 0 ? store.put(key, contentOf(key)) : store.putIfAbsent(key, contentOf(key)).then((wrote) => expect(wrote).toBe(true));
    await write;
    written.add(key);
  }
};

describe('a server that is killed while blobs are written', () => {
  let server: S3Server;
  beforeAll(async () => {
    server = await S3Server.start();
  }, BUILD_MS);
  afterAll(() => server.dispose());

  it(`loses nothing that was acknowledged in ${KILLS} kills, and no writer sees an error`, async () => {
    const { store, dispose } = await aStore(server.access, { timeoutMs: 2_000 });
    const written = new Set<BlobKey>();
    let over = false;
    const writers = Promise.all(Array.from({ length: 6 }, (_, i) => writeUntil(store, `writer-${i}`, () => over, written)));
    for (let kill = 0; kill < KILLS; kill++) {
      await sleep(200 + Math.random() * 300);
      await server.process.restart();
    }
    over = true;
    await writers;
    expect(written.size).toBeGreaterThan(KILLS);
    const listed = new Set<BlobKey>();
    for await (const key of store.list('')) listed.add(key);
    expect([...written].filter((key) => !listed.has(key))).toEqual([]);
    for (const key of written) expect(Buffer.from((await store.get(key)) ?? []).equals(contentOf(key))).toBe(true);
    await dispose();
  });

  it('leaves no server behind', async () => {
    const gateway = server.process.line('gateway');
    expect((await fetch(gateway)).status).toBe(403);
    await server.process.kill();
    await expect(fetch(gateway)).rejects.toThrow('fetch failed');
    await server.process.restart();
  });
});
