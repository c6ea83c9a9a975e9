import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { QdrantClient } from '@qdrant/js-client-rest';
import type { ScopeKeys } from '@palimpsest/knowledge/ports';
import { NO_LEXICAL_SPREAD, NO_SPREAD, type LexicalPut, type VectorPut } from '@palimpsest/knowledge/read-models';
import { InMemoryScopeKeys, TRANSPARENT_KEYS } from '@palimpsest/test-kit';
import { openQdrantLexicalIndex, openQdrantVectorIndex } from '../src/index.ts';
import { aChunk, aPartition, aPosition, aVector, entriesOf, put, readable, VERSION } from '../test/fixture.ts';
import { aPrefix, QdrantUnderTest } from '../test/qdrant-under-test.ts';

const server = new QdrantUnderTest();
// Its own server: its files are searched.
beforeAll(() => server.startTestServer());
afterAll(() => server.stop());

const attributes = {
  title: 'Zephyrine balance sheet',
  source: 'https://zephyrine.example/ledger.md',
  'label.matter': 'Quillfeather',
  'meta.author': 'Marchbanks',
};
const words = ['kumquat', 'sarsaparilla'];
const vectorPut: VectorPut = put(1, 1, attributes);
const wordPut: LexicalPut = { write: 'put', chunkId: aChunk(1), text: words.join(' '), language: 'en', attributes };
const secrets = [...Object.keys(attributes), ...Object.values(attributes), ...words];

const openBoth = (keys: Pick<ScopeKeys, 'cipher'>, prefix: string) => ({
  vectors: openQdrantVectorIndex({ ...server.address, keys, prefix, versionOf: () => VERSION }),
  lexical: openQdrantLexicalIndex({ ...server.address, keys, prefix, analyse: (text) => text.split(' '), analyserVersion: 'words@1' }),
});
type Both = ReturnType<typeof openBoth>;

const using = async (keys: Pick<ScopeKeys, 'cipher'>, body: (both: Both, prefix: string) => Promise<void>): Promise<void> => {
  const prefix = aPrefix();
  const both = openBoth(keys, prefix);
  await body(both, prefix);
  for (const index of [both.vectors, both.lexical]) {
    await index.dropAll();
    await index.close();
  }
};
const writeAll = async ({ vectors, lexical }: Both, partition = aPartition()): Promise<void> => {
  await vectors.apply(partition, [vectorPut], aPosition(1));
  await lexical.put(partition, [{ put: wordPut, at: aPosition(1) }]);
};

/** All that the server returns of all points, and the bytes of all its files; what is in Base64 also decoded. */
const stored = async (prefix: string): Promise<string> => {
  const client = new QdrantClient({ ...server.address, checkCompatibility: false });
  const names = (await client.getCollections()).collections.map(({ name }) => name).filter((name) => name.startsWith(prefix));
  expect(names).toHaveLength(4);
  const points = await Promise.all(names.map((name) => client.scroll(name, { limit: 1_000, with_payload: true, with_vector: true })));
  const shown = JSON.stringify([names, points]);
  const folder = server.folder;
  const files = await Promise.all((await readdir(folder)).map((file) => readFile(join(folder, file), 'latin1')));
  const decoded = [...shown.matchAll(/[\w+/-]{16,}={0,2}/g)].map(([text]) => Buffer.from(text, 'base64').toString('latin1'));
  return [shown, ...files, ...decoded].join('\n');
};
const seenIn = (text: string): readonly string[] => secrets.filter((secret) => text.includes(secret));

describe('What the server stores', () => {
  it('shows no title, source, label or word of a document, neither names nor values, also before an erasure', () =>
    using(new InMemoryScopeKeys(), async (both, prefix) => {
      await writeAll(both);
      expect(seenIn(await stored(prefix))).toEqual([]);
      const found = { filter: { eq: { field: 'label.matter', value: 'Quillfeather' } }, k: 5 };
      expect(await both.vectors.search(readable(aPartition()), aVector(1), found)).toHaveLength(1);
      expect(await both.lexical.search(readable(aPartition()), 'kumquat', found)).toHaveLength(1);
    }));

  it('would show all of it to this search with keys that seal nothing', () =>
    using(TRANSPARENT_KEYS, async (both, prefix) => {
      await writeAll(both);
      expect(seenIn(await stored(prefix))).toEqual(secrets);
    }));

  it('has other tokens and other numbers of words for each scope', () =>
    using(new InMemoryScopeKeys(), async (both, prefix) => {
      const scopes = [aPartition(), aPartition('team:red'), aPartition('deployment', 'evil')];
      for (const partition of scopes) await writeAll(both, partition);
      const client = new QdrantClient({ ...server.address, checkCompatibility: false });
      const held: unknown[] = [];
      for (const { name } of (await client.getCollections()).collections)
        if (name.startsWith(prefix) && !name.includes('_meta_'))
          for (const { payload, vector } of (await client.scroll(name, { limit: 10, with_payload: true, with_vector: true })).points)
            held.push(payload?.['has'], ...(name.includes('lexical') ? [Reflect.get(Object(vector), 'terms')] : []));
      const [first, ...others] = new Set(held.map((one) => JSON.stringify(one)));
      // Tokens of each scope, which both indexes have in common, and its numbers.
      expect([first, ...others]).toHaveLength(2 * scopes.length);
    }));

  it('is not found any more once the key of the scope was destroyed, and nothing is added', () => {
    const keys = new InMemoryScopeKeys();
    return using(keys, async (both) => {
      const [erased, other] = [aPartition('team:erased'), aPartition()];
      for (const partition of [erased, other]) await writeAll(both, partition);
      await keys.destroy(erased.scope);
      const { vectors, lexical } = both;
      const hits = async (partition = erased) => [
        await vectors.search(readable(partition), aVector(1), { k: 5 }),
        await lexical.search(readable(partition), 'kumquat', { k: 5 }),
        await entriesOf(vectors, partition),
      ];
      expect(await hits()).toEqual([[], [], []]);
      expect(await hits(other)).toEqual([[expect.anything()], [expect.anything()], [expect.anything()]]);
      expect([await vectors.spread(readable(erased), aVector(1)), await lexical.spread(readable(erased), 'kumquat')]).toEqual([
        NO_SPREAD,
        NO_LEXICAL_SPREAD,
      ]);
      await vectors.apply(erased, [put(2, 2)], aPosition(2));
      await vectors.put(erased, [{ put: put(3, 3), at: aPosition(3) }]);
      await lexical.put(erased, [{ put: { ...wordPut, chunkId: aChunk(4) }, at: aPosition(3) }]);
      expect([await vectors.count(erased), await lexical.count(erased), await vectors.position(erased)]).toEqual([1, 1, aPosition(1)]);
      for (const index of [vectors, lexical]) await index.drop(erased);
      expect([await vectors.count(erased), await lexical.count(erased), await vectors.count(other)]).toEqual([0, 0, 1]);
    });
  });

  it('is not returned by any condition if another program has written it', () =>
    using(new InMemoryScopeKeys(), async (both, prefix) => {
      await writeAll(both);
      const client = new QdrantClient({ ...server.address, checkCompatibility: false });
      for (const { name } of (await client.getCollections()).collections)
        if (name.startsWith(prefix) && !name.includes('_meta_'))
          await client.setPayload(name, { wait: true, payload: { attributes: '{}', terms: '["kumquat"]', digest: 'x' }, filter: {} });
      const filter = { not: { prefix: { field: 'title', value: 'nothing' } } };
      const [mine, query] = [readable(aPartition()), { k: 5, filter }];
      expect([await both.vectors.search(mine, aVector(1), query), await both.lexical.search(mine, 'kumquat', { k: 5 })]).toEqual([[], []]);
      expect(await entriesOf(both.vectors, aPartition())).toEqual([{ chunkId: aChunk(1), digest: '0'.repeat(64) }]);
    }));
});
