import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { authorise, type Attributes } from '@palimpsest/knowledge/access';
import type { IndexPartition, ReadablePartition, VectorPut } from '@palimpsest/knowledge/read-models';
import { chunkId, generationId, position, tenantId, vectorScope } from '@palimpsest/knowledge/values';
import type { ScanLimits } from './limits.ts';
import { openScanVectorIndex, type ScanVectorIndex } from './scan-vector-index.ts';
import { fileSeal, vectorDigest } from '@palimpsest/contracts';
import { encodeHeader, FRAME_HEAD_BYTES, frameHead, HEADER_BYTES } from './frames.ts';
import { InMemoryScopeKeys } from '@palimpsest/test-kit';

const tenant = tenantId('acme');
const partition = (scope: string): IndexPartition => ({ scope: { tenant, scope: vectorScope(scope) }, generation: generationId('g1') });
const readable = ({ scope }: IndexPartition): ReadablePartition => {
  const [permitted] = authorise({ tenant, teams: ['*'], roles: ['reader'], actor: 'spec' }, [scope.scope]);
  if (permitted === undefined) throw new Error('not permitted');
  return { scope: permitted, generation: generationId('g1') };
};
/** The unit vector at an angle of `degrees`. */
const towards = (degrees: number) => Float32Array.of(Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180));
const put = (n: number, degrees: number, attributes: Attributes = {}): VectorPut => ({
  write: 'put',
  chunkId: chunkId(n.toString(16).padStart(32, '0')),
  vector: towards(degrees),
  attributes,
});
const number = (id: string) => Number.parseInt(id, 16);
const at = (n: number) => position(BigInt(n));
const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);

/** Chunks 1 (removed again), 2 (put at 30, then at 60 degrees) and 3 (at 90), as written by the first version of this index. */
const FIRST_FORMAT =
  'UEFMVkVDVAoBAAAAAAAAACAAAAAAAAAAAAAAAK5uUTdST1dTaAAAAFsyjuU2rr+zAQAAAAAAAAACAAAAAgAAAAAAAAAYAAAAW3sibGFuZ3VhZ2UiOiJlbiJ9LHt9XSAgAAAAAAEAAAAAAAAAAAAAAAAAAAABAAAA' +
  'AAAAAAAAAAAAAAAAAgAAAAAAgD8AAAAA17NdPwAAAD9ST1dTVAAAAEbjsPlzfyEaAgAAAAAAAAACAAAAAgAAAAAAAAAEAAAAW3t9XQAAAAAAAAAAAAAAAAAAAAAAAAAAAgAAAAAAAAAAAAAAAAAAAAMAAAAAAAA/' +
  '17NdPzIxjSQAAIA/Uk9XUywAAABq2AshNMJ3KAMAAAAAAAAAAgAAAAAAAAABAAAABAAAAFtdICAAAAAAAAAAAAAAAAABAAAARkxTSAAAAAAAAAAAA8OwTw==';

/** The content of `FIRST_FORMAT` as the second version of this index wrote it: each frame sealed as a whole. */
const sealedByFrame = async (keys: InMemoryScopeKeys, name: IndexPartition): Promise<Uint8Array> => {
  const [first, id] = [Buffer.from(FIRST_FORMAT, 'base64'), 'a1b2c3d4e5f60718'];
  const seal = await fileSeal(keys, name, 'vectors 2', id);
  const header = Buffer.from(encodeHeader({ baseEnd: HEADER_BYTES, id }));
  header.writeUInt32LE(2, 8);
  header.writeUInt32LE(crc32(header.subarray(0, 28)), 28);
  const parts: Uint8Array[] = [header];
  let size = header.length;
  for (let at = HEADER_BYTES; at < first.length;) {
    const length = first.readUInt32LE(at + 4);
    const content = first.subarray(at + FRAME_HEAD_BYTES, at + FRAME_HEAD_BYTES + length);
    at += FRAME_HEAD_BYTES + length;
    if (length === 0) continue;
    const sealed = seal.seal(content, size);
    const frame = Buffer.concat([frameHead('rows', sealed), sealed]);
    parts.push(frame);
    size += frame.length;
  }
  return Buffer.concat(parts);
};

describe('a partition', () => {
  let root: string;
  let index: ScanVectorIndex;
  let keys: InMemoryScopeKeys;
  const opened = async (limits: ScanLimits = {}) => (index = await openScanVectorIndex({ root, keys, ...limits }));
  const red = partition('team:red');

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'partition-'));
    keys = new InMemoryScopeKeys();
  });
  afterEach(async () => {
    await index.close();
    await rm(root, { recursive: true });
  });

  it('finds the nearest vectors, and returns the same digests as the log', async () => {
    await opened();
    await index.apply(red, [put(1, 0), put(2, 30), put(3, 90)], at(7));
    const hits = await index.search(readable(red), towards(40), { k: 2 });
    expect(hits.map(({ chunkId: id }) => number(id))).toEqual([2, 1]);
    for await (const { chunkId: id, digest } of index.entries(red))
      expect(digest).toBe(vectorDigest(put(number(id), [0, 0, 30, 90][number(id)] ?? 0)));
  });

  it('isolates a search from writes that happen between its slabs', async () => {
    await opened({ slabRows: 64, compactFromBytes: 0 });
    await index.apply(
      red,
      numbers(300).map((n) => put(n, n / 10)),
      at(1),
    );
    const before = await index.search(readable(red), towards(20), { k: 300 });
    let searching = true;
    const search = index.search(readable(red), towards(20), { k: 300 }).finally(() => (searching = false));
    let call = 1;
    while (searching)
      await index.apply(
        red,
        numbers(300).map((n) => put(n, n / 10 + ++call)),
        at(call),
      );
    expect(await search).toEqual(before);
    expect(call).toBeGreaterThan(2);
    expect(await index.search(readable(red), towards(20), { k: 300 })).not.toEqual(before);
  });

  it('keeps all vectors of a chunk when it compacts its file into several frames', async () => {
    await opened({ compactFromBytes: 0 });
    const wide = (n: number) => Float32Array.from({ length: 4_096 }, (_, i) => (i === n ? 1 : 0));
    const many = (n: number) => ({
      ...put(n, 0),
      vector: wide(100 * n),
      further: Array.from({ length: 63 }, (_, i) => wide(100 * n + i + 1)),
    });
    for (let call = 1; call <= 4; call++) await index.apply(red, numbers(12).map(many), at(call));
    for (const round of ['open', 'reopened']) {
      if (round === 'reopened') {
        await index.close();
        await opened();
      }
      expect(await index.count(red)).toBe(12);
      for (const n of numbers(12))
        for (const i of [0, 31, 63])
          expect(
            (await index.search(readable(red), wide(100 * n + i), { k: 1 })).map(({ chunkId: id, score }) => [number(id), score]),
          ).toEqual([[n, 1]]);
      for await (const { chunkId: id, digest } of index.entries(red)) expect(digest).toBe(vectorDigest(many(number(id))));
    }
  });

  it('reads a file from the version in which every chunk had one vector', async () => {
    const folder = join(root, 'acme', 'team+red', 'g1', 'vectors');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'vectors.dat'), Buffer.from(FIRST_FORMAT, 'base64'));
    await opened();
    expect([index.damaged(), await index.position(red), await index.count(red)]).toEqual([[], at(3), 2]);
    expect((await index.search(readable(red), towards(90), { k: 9 })).map(({ chunkId: id }) => number(id))).toEqual([3, 2]);
    await index.apply(red, [{ ...put(2, 0), further: [towards(90)] }], at(4));
    expect((await index.search(readable(red), towards(90), { k: 9 })).map(({ chunkId: id }) => number(id))).toEqual([2, 3]);
    for await (const { chunkId: id, digest } of index.entries(red))
      expect(digest).toBe(vectorDigest(number(id) === 2 ? { ...put(2, 0), further: [towards(90)] } : put(3, 90)));
  });

  it.each([
    ['complete', 0, 3, [2, 3]],
    ['with an append that a kill interrupted', 40, 2, [2, 3, 1]],
  ])('seals a file that an earlier version wrote in the clear when it is opened: %s', async (_, missing, reached, chunks) => {
    const [folder, clear] = [join(root, 'acme', 'team+red', 'g1', 'vectors'), Buffer.from(FIRST_FORMAT, 'base64')];
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'vectors.dat'), clear.subarray(0, clear.length - missing));
    await writeFile(join(folder, 'vectors.dat.tmp'), clear);
    for (const round of ['open', 'reopened']) {
      await opened();
      expect([round, index.damaged(), await index.position(red), await index.count(red)]).toEqual([round, [], at(reached), chunks.length]);
      expect((await index.search(readable(red), towards(60), { k: 9 })).map(({ chunkId: id }) => number(id))).toEqual(chunks);
      expect(await readdir(folder)).toEqual(['vectors.dat']);
      const bytes = await readFile(join(folder, 'vectors.dat'));
      for (const piece of ['language', '[{}]', Buffer.from(towards(60).buffer), Buffer.from(towards(90).buffer)])
        expect(bytes.includes(piece)).toBe(false);
      await index.close();
    }
    await opened();
  });

  it('writes a file in parts that an earlier version sealed by frame, when it is opened', async () => {
    const folder = join(root, 'acme', 'team+red', 'g1', 'vectors');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'vectors.dat'), await sealedByFrame(keys, red));
    for (const limits of [{}, { cacheBytes: 0 }]) {
      await opened(limits);
      expect([index.damaged(), await index.position(red), await index.count(red)]).toEqual([[], at(3), 2]);
      expect((await index.search(readable(red), towards(90), { k: 9 })).map(({ chunkId: id }) => number(id))).toEqual([3, 2]);
      for await (const { chunkId: id, digest } of index.entries(red)) expect(digest).toBe(vectorDigest(put(number(id), 30 * number(id))));
      expect((await readFile(join(folder, 'vectors.dat'))).readUInt32LE(8)).toBe(3);
      await index.close();
    }
    await opened();
  });

  it('finds the same with little memory: float32 values are then read from the file', async () => {
    const filter = { eq: { field: 'language', value: 'de' } };
    const seen = async () => {
      const found = [];
      for (const query of [0, 45, 200]) for (const k of [1, 30]) found.push(await index.search(readable(red), towards(query), { k }));
      found.push(await index.search(readable(red), towards(10), { k: 5, filter }));
      for await (const entry of index.entries(red)) found.push([entry]);
      return found;
    };
    await opened();
    for (const call of numbers(30))
      await index.apply(
        red,
        numbers(20).map((n) => put(20 * call + n, 17 * call + n / 3, { language: n % 7 ? 'en' : 'de' })),
        at(call + 1),
      );
    const inMemory = await seen();
    const { loadedBytes } = index.statistics();
    await index.close();
    await opened({ cacheBytes: 0 });
    expect(await seen()).toEqual(inMemory);
    expect(index.statistics().loadedBytes).toBeLessThan(loadedBytes);
  });

  it('reports damage that a search finds in the file, and refuses searches until the partition is rebuilt', async () => {
    const damage: string[] = [];
    index = await openScanVectorIndex({
      root,
      keys,
      cacheBytes: 0,
      onDamage: ({ scope }, reason) => damage.push(`${scope.scope}: ${reason}`),
    });
    await index.apply(
      red,
      numbers(50).map((n) => put(n, n)),
      at(1),
    );
    expect(await index.search(readable(red), towards(3), { k: 1 })).toHaveLength(1);
    const path = join(root, 'acme', 'team+red', 'g1', 'vectors', 'vectors.dat');
    const bytes = await readFile(path);
    await writeFile(
      path,
      bytes.map((byte, i) => (i > bytes.length - 100 ? byte ^ 1 : byte)),
    );
    for (const _ of ['found', 'known'])
      await expect(index.search(readable(red), towards(3), { k: 1 })).rejects.toMatchObject({ code: 'Unavailable' });
    expect(damage).toEqual([expect.stringContaining('team:red: ')]);
    await index.drop(red);
    await index.apply(red, [put(1, 1)], at(2));
    expect(await index.search(readable(red), towards(3), { k: 1 })).toHaveLength(1);
  });

  it('limits the size of its file when chunks are replaced often', async () => {
    await opened({ compactFromBytes: 10_000 });
    for (let call = 1; call <= 300; call++)
      await index.apply(
        red,
        numbers(20).map((n) => put(n, n + call)),
        at(call),
      );
    const [file = ''] = (await readdir(root, { recursive: true })).filter((name) => name.endsWith('.dat'));
    expect((await stat(join(root, file))).size).toBeLessThan(30_000);
    const hits = await index.search(readable(red), towards(305), { k: 20 });
    await index.close();
    await opened();
    expect(await index.search(readable(red), towards(305), { k: 20 })).toEqual(hits);
    expect([await index.position(red), await index.count(red)]).toEqual([at(300), 20]);
  });

  it('compacts a partition that contains only positions', async () => {
    await opened({ compactFromBytes: 1000 });
    for (let call = 1; call <= 200; call++) await index.apply(red, [], at(call));
    const [file = ''] = (await readdir(root, { recursive: true })).filter((name) => name.endsWith('.dat'));
    expect((await stat(join(root, file))).size).toBeLessThan(1500);
    await index.close();
    await opened();
    expect(await index.position(red)).toBe(at(200));
  });

  it('searches hundreds of scopes with a cache for a few of them', async () => {
    await opened({ cacheBytes: 1_000_000 });
    const scopes = numbers(200).map((n) => partition(`team:t${n}`));
    for (const [n, scope] of scopes.entries()) await index.apply(scope, [put(n, n)], at(n + 1));
    for (const [n, scope] of scopes.entries())
      expect((await index.search(readable(scope), towards(n), { k: 5 })).map(({ chunkId: id }) => number(id))).toEqual([n]);
    expect(await Promise.all(scopes.map((scope) => index.count(scope)))).toEqual(scopes.map(() => 1));
    expect(index.statistics().loadedBytes).toBeLessThan(1_000_000);
  });

  it('applies a cached filter to chunks that were added later', async () => {
    await opened();
    const filter = { eq: { field: 'language', value: 'de' } };
    const found = async () => (await index.search(readable(red), towards(0), { k: 9, filter })).map(({ chunkId: id }) => number(id));
    await index.apply(red, [put(1, 1, { language: 'de' }), put(2, 2, { language: 'en' })], at(1));
    expect(await found()).toEqual([1]);
    await index.apply(red, [put(1, 1, { language: 'en' }), put(3, 3, { language: 'de', page: 1 }), put(4, 4, { language: 'de' })], at(2));
    expect(await found()).toEqual([3, 4]);
  });

  it('counts the scanned rows, and those compared in float32', async () => {
    await opened();
    await index.apply(
      red,
      numbers(100).map((n) => put(n, n)),
      at(1),
    );
    await index.search(readable(red), towards(0), { k: 1 });
    const { searches, scanned, measured } = index.statistics();
    expect([searches, scanned]).toEqual([1, 100]);
    expect(measured).toBeLessThan(30);
  });

  it('refuses invalid limits, and calls after it was closed', async () => {
    await opened();
    for (const limits of [{ slabRows: 65 }, { slabRows: 0 }, { cacheBytes: -1 }, { compactFromBytes: 1.5 }])
      await expect(openScanVectorIndex({ root, keys, ...limits })).rejects.toMatchObject({ code: 'InvalidValue' });
    await index.close();
    await expect(index.search(readable(red), towards(0), { k: 1 })).rejects.toMatchObject({ code: 'Unavailable' });
    await index.close();
  });
});
