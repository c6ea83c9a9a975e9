import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runToCompletion } from '@palimpsest/foundation';
import type { IndexPartition } from '@palimpsest/knowledge/read-models';
import { START, chunkId, generationId, position, tenantId, vectorScope } from '@palimpsest/knowledge/values';
import { InMemoryScopeKeys } from '@palimpsest/test-kit';
import { toRecord, type ChunkRecord } from '../partition/chunk-record.ts';
import { encodeRecords, type Batch } from './batch.ts';
import { Damaged } from './damaged.ts';
import { frame, readFrames } from './frames.ts';
import { PartitionStore, type Stored } from './partition-store.ts';

const put = (number: number, text: string) =>
  toRecord({ write: 'put', chunkId: chunkId(number.toString(16).padStart(32, '0')), text, language: 'en', attributes: { number } });
const batch = (after: number, upTo: number, ...puts: readonly ChunkRecord[]): Batch => ({
  after: position(BigInt(after)),
  upTo: position(BigInt(upTo)),
  puts: encodeRecords(puts),
  removals: [],
});
const contentsOf = (stored: Stored | undefined) => ({ position: stored?.position, entries: [...(stored?.partition.entries() ?? [])] });

const partition = (generation: string): IndexPartition => ({
  scope: { tenant: tenantId('acme'), scope: vectorScope('team:red') },
  generation: generationId(generation),
});

describe('PartitionStore', () => {
  let root: string;
  let folder: string;
  let store: PartitionStore;
  let keys: InMemoryScopeKeys;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'partition-store-'));
    folder = join(root, 'acme', 'team+red', 'g1', 'lexical');
    keys = new InMemoryScopeKeys();
    store = new PartitionStore(root, partition('g1'), keys);
    await store.create();
    await store.append(batch(0, 3, put(1, 'apples'), put(2, 'pears')));
    await store.append(batch(3, 9, put(3, 'plums')));
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  const load = () => store.load(0);
  const compact = async (): Promise<void> => {
    const stored = await load();
    await store.writeBase(runToCompletion((stored as Stored).partition.compactSteps()), stored?.position ?? START);
  };

  it('loads the same contents from a base as from the journal, and continues after it', async () => {
    const journalled = contentsOf(await load());
    await compact();
    expect(contentsOf(await load())).toEqual(journalled);
    await store.append(batch(9, 12, put(4, 'cherries')));
    expect(contentsOf(await load())).toMatchObject({ position: 12n, entries: { length: 4 } });
  });

  it('is complete after a crash between writing a new base and the new journal', async () => {
    await copyFile(join(folder, 'journal'), join(root, 'old journal'));
    const before = contentsOf(await load());
    await compact();
    await copyFile(join(root, 'old journal'), join(folder, 'journal'));
    expect(contentsOf(await load())).toEqual(before);
  });

  it('reports damage when the base that the journal follows is missing', async () => {
    await compact();
    await store.append(batch(9, 12, put(4, 'cherries')));
    await rm(join(folder, 'base'));
    await expect(load()).rejects.toThrow(new Damaged('journal: a call expects position 9, but position 0 was reached'));
  });

  it('reports damage when the journal lacks its first frame', async () => {
    const bytes = await readFile(join(folder, 'journal'));
    const { frames } = readFrames(bytes);
    await writeFile(join(folder, 'journal'), bytes.subarray(frames[1]?.at));
    await expect(load()).rejects.toThrow(new Damaged('journal: it does not begin with its header'));
  });

  it('reports damage when another analyser version wrote the terms', async () => {
    await writeFile(join(folder, 'journal'), frame(Buffer.from(JSON.stringify({ format: 2, analysedBy: '0+unicode1.0', id: '' }))));
    await expect(load()).rejects.toThrow(/written with analyser version 0\+unicode1\.0, expected /);
  });

  it('removes its empty folders with it, and leaves the others', async () => {
    await new PartitionStore(root, partition('g2'), keys).create();
    await store.remove();
    expect(await readdir(join(root, 'acme', 'team+red'))).toEqual(['g2']);
    await new PartitionStore(root, partition('g2'), keys).remove();
    expect(await readdir(root)).toEqual([]);
  });
});
