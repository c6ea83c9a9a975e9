import { copyFile, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runToCompletion } from '@palimpsest/foundation';
import { START, chunkId, position } from '@palimpsest/knowledge/values';
import { toRecord, type ChunkRecord } from '../partition/chunk-record.ts';
import { encodeRecords, type Batch } from './batch.ts';
import { Damaged } from './damaged.ts';
import { frame } from './frames.ts';
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

describe('PartitionStore', () => {
  let root: string;
  let folder: string;
  let store: PartitionStore;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'partition-store-'));
    folder = join(root, 'acme', 'team+red', 'g1', 'lexical');
    store = new PartitionStore(folder, root);
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

  it('reports damage when another analyser version wrote the terms', async () => {
    await writeFile(join(folder, 'journal'), frame(Buffer.from(JSON.stringify({ format: 1, analyser: '0+unicode1.0' }))));
    await expect(load()).rejects.toThrow(/written with analyser version 0\+unicode1\.0, expected /);
  });

  it('removes its empty folders with it, and leaves the others', async () => {
    await new PartitionStore(join(root, 'acme', 'team+red', 'g2', 'lexical'), root).create();
    await store.remove();
    expect(await readdir(join(root, 'acme', 'team+red'))).toEqual(['g2']);
    await new PartitionStore(join(root, 'acme', 'team+red', 'g2', 'lexical'), root).remove();
    expect(await readdir(root)).toEqual([]);
  });
});
