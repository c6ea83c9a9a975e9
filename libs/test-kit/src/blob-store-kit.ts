import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Corrupt, InvalidValue } from '@palimpsest/knowledge/errors';
import { blobKey, type BlobKey, type BlobStore } from '@palimpsest/knowledge/ports';

/** A new, empty store, and what a test needs to access it from outside. */
export type BlobStoreUnderTest = Readonly<{
  store: BlobStore;
  /** Opens the same data again, as another process would; the first store stays usable. */
  reopen(): Promise<BlobStore>;
  /** Flips a bit of the stored bytes of this key, bypassing the store. */
  damage(key: BlobKey): Promise<void>;
  dispose(): Promise<void>;
}>;

export const describeBlobStore = (name: string, open: () => Promise<BlobStoreUnderTest>): void =>
  describe(`${name} fulfils the contract of BlobStore`, () => {
    let under: BlobStoreUnderTest;
    let store: BlobStore;
    beforeEach(async () => {
      under = await open();
      store = under.store;
    });
    afterEach(() => under.dispose());

    it('returns what was put, also after it was reopened', async () => {
      await store.put(blobKey('uploads/default/report.pdf'), bytes('first'));
      const reopened = await under.reopen();
      expect(await reopened.get(blobKey('uploads/default/report.pdf'))).toEqual(bytes('first'));
    });

    it('keeps any bytes, also empty blobs', () =>
      fc.assert(
        fc.asyncProperty(fc.uint8Array({ maxLength: 2_000 }), async (content) => {
          await store.put(blobKey('any'), content);
          expect(await store.get(blobKey('any'))).toEqual(content);
        }),
        { numRuns: 20 },
      ));

    it('keeps a blob of several megabytes', async () => {
      const large = new Uint8Array(3 * 1024 * 1024 + 1).map((_, i) => (i * 31) % 251);
      await store.put(blobKey('large'), large);
      expect(Buffer.from((await store.get(blobKey('large'))) ?? []).equals(large)).toBe(true);
    });

    it('returns bytes aligned for a Float32Array', async () => {
      await store.put(blobKey('vector'), new Uint8Array(new Float32Array([0.25, -1]).buffer));
      const found = (await store.get(blobKey('vector'))) ?? new Uint8Array();
      expect([...new Float32Array(found.buffer, found.byteOffset, 2)]).toEqual([0.25, -1]);
    });

    it('finds nothing under a name that was never written', async () => {
      expect(await store.get(blobKey('no/such'))).toBeUndefined();
      expect(await store.exists(blobKey('no/such'))).toBe(false);
    });

    it('replaces old bytes with new ones', async () => {
      await store.put(blobKey('a'), bytes('old'));
      await store.put(blobKey('a'), bytes('new'));
      expect(await store.get(blobKey('a'))).toEqual(bytes('new'));
    });

    it.each(['plain/name', 'keys/default/user:alice'])(
      'gives a reader of %s the old bytes or the new ones, never a mixture',
      async (raw) => {
        const key = blobKey(raw);
        const versions = Array.from({ length: 12 }, (_, i) => new Uint8Array(50_000).fill(i));
        await store.put(key, versions[0] ?? new Uint8Array());
        let writing = true;
        const writer = (async () => {
          for (const version of versions) await store.put(key, version);
          writing = false;
        })();
        const reader = async (): Promise<void> => {
          while (writing) {
            const seen = await store.get(key);
            expect(seen?.length).toBe(50_000);
            expect(new Set(seen).size).toBe(1);
          }
        };
        await Promise.all(Array.from({ length: 8 }, reader));
        await writer;
      },
    );

    it('writes an absent blob, and reports whether it did', async () => {
      expect(await store.putIfAbsent(blobKey('a'), bytes('mine'))).toBe(true);
      expect(await store.putIfAbsent(blobKey('a'), bytes('yours'))).toBe(false);
      expect(await store.get(blobKey('a'))).toEqual(bytes('mine'));
    });

    it('lets exactly one of several concurrent writers of an absent blob win', async () => {
      const other = await under.reopen();
      const writers = Array.from({ length: 16 }, (_, i) => ({ content: bytes(`writer ${i}`), to: i % 2 === 0 ? store : other }));
      const won = await Promise.all(writers.map(({ content, to }) => to.putIfAbsent(blobKey('race/prize'), content)));
      expect(won.filter(Boolean)).toHaveLength(1);
      expect(await store.get(blobKey('race/prize'))).toEqual(writers[won.indexOf(true)]?.content);
    });

    it('allows writing a blob again after it was deleted', async () => {
      await store.put(blobKey('a'), bytes('old'));
      await store.delete(blobKey('a'));
      expect(await store.get(blobKey('a'))).toBeUndefined();
      expect(await store.exists(blobKey('a'))).toBe(false);
      expect(await store.putIfAbsent(blobKey('a'), bytes('new'))).toBe(true);
    });

    it('ignores the deletion of a missing blob', async () => {
      await store.put(blobKey('a/b'), bytes('kept'));
      await store.delete(blobKey('a'));
      await store.delete(blobKey('c/d'));
      expect(await keysOf(store, '')).toEqual(['a/b']);
    });

    it('throws Corrupt instead of returning damaged bytes', async () => {
      await store.put(blobKey('a'), bytes('sound'));
      await under.damage(blobKey('a'));
      await expect(store.get(blobKey('a'))).rejects.toThrow(Corrupt);
    });

    it('lists the keys below a prefix, at a "/" boundary', async () => {
      for (const key of ['a', 'a/b', 'a/b/c', 'ab/c', 'b']) await store.put(blobKey(key), bytes(key));
      expect(await keysOf(store, '')).toEqual(['a', 'a/b', 'a/b/c', 'ab/c', 'b']);
      expect(await keysOf(store, 'a')).toEqual(['a', 'a/b', 'a/b/c']);
      expect(await keysOf(store, 'a/')).toEqual(['a/b', 'a/b/c']);
      expect(await keysOf(store, 'a/b')).toEqual(['a/b', 'a/b/c']);
      expect(await keysOf(store, 'none')).toEqual([]);
    });

    it('refuses to list outside its root', () => expect(keysOf(store, '../..')).rejects.toThrow(InvalidValue));

    it('distinguishes keys that differ only by case', async () => {
      await store.put(blobKey('keys/default/user:Alice'), bytes('A'));
      await store.put(blobKey('keys/default/user:alice'), bytes('a'));
      expect(await store.get(blobKey('keys/default/user:Alice'))).toEqual(bytes('A'));
      expect(await keysOf(store, 'keys')).toEqual(['keys/default/user:Alice', 'keys/default/user:alice']);
    });

    it('accepts and lists every valid key', () =>
      fc.assert(
        fc.asyncProperty(anyKey, async (key) => {
          await store.put(key, bytes(key));
          expect(await store.get(key)).toEqual(bytes(key));
          expect(await keysOf(store, key)).toEqual([key]);
          await store.delete(key);
        }),
        { numRuns: 40, examples: [[blobKey('A'.repeat(200))], [blobKey(`${'xY'.repeat(100)}/Z`)]] },
      ));
  });

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

const keysOf = async (store: BlobStore, prefix: string): Promise<string[]> => {
  const keys: string[] = [];
  for await (const key of store.list(prefix)) keys.push(key);
  return keys.sort();
};

const anyKey = fc
  .array(
    fc.stringMatching(/^[A-Za-z0-9._:@-]{1,40}$/).filter((segment) => !/^\.+$/.test(segment)),
    { minLength: 1, maxLength: 3 },
  )
  .map((segments) => blobKey(segments.join('/')));
