import { mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runToCompletion } from '@palimpsest/foundation';
import { authorise } from '@palimpsest/knowledge/access';
import type { IndexPartition, LexicalPut, ReadablePartition } from '@palimpsest/knowledge/read-models';
import { chunkId, generationId, position, tenantId, vectorScope, type ChunkId } from '@palimpsest/knowledge/values';
import {
  describeLexicalIndex,
  describeLexicalIndexAdoption,
  describeLexicalIndexFiles,
  openingInFolder,
  InMemoryScopeKeys,
} from '@palimpsest/test-kit';
import { BM25_ANALYSER_VERSION } from './analysis/analyse.ts';
import { openBm25Index, type Bm25Options } from './open-bm25-index.ts';
import { toRecord } from './partition/chunk-record.ts';
import { Partition } from './partition/partition.ts';
import { sharedKernel } from './scoring/kernel.ts';
import { encodeSteps } from './storage/base-file.ts';
import { encodeBatch, encodeRecords } from './storage/batch.ts';
import { frame } from './storage/frames.ts';

const aPartition = (scope = 'deployment'): IndexPartition => ({
  scope: { tenant: tenantId('acme'), scope: vectorScope(scope) },
  generation: generationId('g1'),
});
const readable = ({ scope, generation }: IndexPartition): ReadablePartition => {
  const [permitted] = authorise({ tenant: scope.tenant, teams: ['*'], roles: ['reader'], actor: 'spec' }, [scope.scope]);
  if (permitted === undefined) throw new Error(`no permission to read ${scope.scope}`);
  return { scope: permitted, generation };
};
const aPosition = (number: number) => position(BigInt(number));
const putText = (number: number, text: string): LexicalPut => ({
  write: 'put',
  chunkId: chunkId(number.toString(16).padStart(32, '0')),
  text,
  language: 'und',
  attributes: {},
});

const open = (options: Omit<Bm25Options, 'root' | 'keys'>) => openingInFolder((at) => openBm25Index({ ...options, ...at }));

// With default settings, then with all size limits reduced to the size of the examples: every segment in the kernel, a new base after
// each call, and nothing kept in memory.
const small = { kernelFromChunks: 0, compactFromBytes: 0, cacheBytes: 0 };
describeLexicalIndex('Bm25Index', open({}));
describeLexicalIndex('Bm25Index with tiny limits', open(small));
describeLexicalIndexAdoption('Bm25Index', open({}));
describeLexicalIndexAdoption('Bm25Index with tiny limits', open(small));
describeLexicalIndexFiles('Bm25Index', open({}));
describeLexicalIndexFiles('Bm25Index that compacts early', open({ ...small, compactFromBytes: 300 }));

/** The files of an earlier version: a base up to position 3, and a journal with a call at position 5, nothing of it sealed. */
const writeClear = async (folder: string): Promise<void> => {
  const before = new Partition();
  for (const [n, text] of ['hyperborean apple', 'berry'].entries()) before.put(toRecord(putText(n, text)));
  const later = {
    after: aPosition(3),
    upTo: aPosition(5),
    puts: encodeRecords([toRecord(putText(2, 'berry apple lighthouse'))]),
    removals: [putText(1, '').chunkId],
  };
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'base'), Buffer.concat(runToCompletion(encodeSteps(runToCompletion(before.compactSteps()), aPosition(3)))));
  await writeFile(join(folder, 'base.tmp'), 'hyperborean');
  const header = Buffer.from(JSON.stringify({ format: 1, analyser: BM25_ANALYSER_VERSION }));
  await writeFile(
    join(folder, 'journal'),
    Buffer.concat([header, encodeBatch(later), Buffer.from('interrupted')].map(frame)).subarray(0, -3),
  );
};

describe('Bm25Index', () => {
  it('seals the files that an earlier version wrote in the clear when it is opened', async () => {
    const root = await mkdtemp(join(tmpdir(), 'bm25-clear-'));
    const folder = join(root, 'acme', 'deployment', 'g1', 'lexical');
    await writeClear(folder);
    const under = await open({})(root);
    for (const next of [async () => under.index, under.reopen]) {
      const index = await next();
      expect([index.damaged(), await index.position(aPartition()), await index.count(aPartition())]).toEqual([[], aPosition(5), 2]);
      const hits = await index.search(readable(aPartition()), 'apple', { k: 5 });
      expect(hits.map(({ chunkId: id }) => Number.parseInt(id, 16)).sort()).toEqual([0, 2]);
      expect((await readdir(folder)).sort()).toEqual(['base', 'journal']);
      for (const file of ['base', 'journal'])
        for (const word of ['hyperborean', 'lighthouse'])
          for (const encoding of ['utf8', 'utf16le'] as const)
            expect((await readFile(join(folder, file))).includes(Buffer.from(word, encoding))).toBe(false);
    }
    await under.dispose();
  });

  it('searches many partitions with memory for barely one of them, and frees their kernel memory', async () => {
    const under = await open({ kernelFromChunks: 0, cacheBytes: 20_000 })();
    const scopes = Array.from({ length: 12 }, (_, n) => n);
    const ask = () => Promise.all(scopes.map((n) => under.index.search(readable(aPartition(`team:t${n}`)), `own${n} shared`, { k: 100 })));
    for (const n of scopes)
      await under.index.apply(
        aPartition(`team:t${n}`),
        Array.from({ length: 60 }, (_, i) => putText(i, `own${n} shared word${i}`)),
        aPosition(1),
      );
    const first = await ask();
    expect(first.map((hits) => hits.length)).toEqual(scopes.map(() => 60));
    const memory = sharedKernel().memoryBytes;
    for (let round = 0; round < 30; round++) expect(await ask()).toEqual(first);
    expect(sharedKernel().memoryBytes).toBe(memory);
    await under.dispose();
  });

  it('answers a search while a call is writing a new base', async () => {
    const under = await open({ kernelFromChunks: 0, compactFromBytes: 0, cacheBytes: 0 })();
    const partition = aPartition();
    await under.index.apply(partition, [putText(1, 'apple')], aPosition(1));
    const writing = under.index.apply(
      partition,
      Array.from({ length: 200 }, (_, n) => putText(n, 'apple berry')),
      aPosition(2),
    );
    const [during] = await Promise.all([under.index.search(readable(partition), 'apple', { k: 1000 }), writing]);
    expect([1, 200]).toContain(during.length);
    expect(await under.index.search(readable(partition), 'berry', { k: 1000 })).toHaveLength(200);
    await under.dispose();
  });

  it('refuses invalid options, invalid chunk ids, and calls after it was closed', async () => {
    await expect(openBm25Index({ root: tmpdir(), keys: new InMemoryScopeKeys(), b: 2 })).rejects.toThrow(
      'b: expected a number from 0 to 1',
    );
    await expect(openBm25Index({ root: tmpdir(), keys: new InMemoryScopeKeys(), k1: NaN })).rejects.toThrow('k1: ');
    const under = await open({})();
    const wrong = { ...putText(1, 'apple'), chunkId: 'x' as ChunkId };
    await expect(under.index.apply(aPartition(), [putText(2, 'apple'), wrong], aPosition(1))).rejects.toThrow('chunkId: ');
    expect(await under.index.count(aPartition())).toBe(0);
    await under.index.close();
    await expect(under.index.count(aPartition())).rejects.toThrow('closed');
    await under.dispose();
  });
});
