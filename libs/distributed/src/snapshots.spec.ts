import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openBm25Index } from '@palimpsest/adapters-bm25';
import { openSqliteCatalog, openSqliteCheckpoints } from '@palimpsest/adapters-sqlite';
import { authorise, blobKey, chunkId, generationId, knowledgeBaseId, position, tenantId, vectorScope } from '@palimpsest/knowledge';
import type { BlobStore, IndexPartition, Position } from '@palimpsest/knowledge';
import type { ReadModelRunner } from '@palimpsest/projections';
import { InMemoryBlobStore, InMemoryScopeKeys } from '@palimpsest/test-kit';
import { Snapshots } from './snapshots.ts';
import { openStateFolder, type StateFolder } from './state-folder.ts';

const SCOPE = { tenant: tenantId('acme'), scope: vectorScope('deployment') };
const READER = authorise({ tenant: SCOPE.tenant, teams: [], roles: ['reader'], actor: 'spec' }, [SCOPE.scope]);
const PARTITION: IndexPartition = { scope: SCOPE, generation: generationId('g1') };
const chunking = { markdown: { maxChars: 1500 }, tokens: { maxTokens: 500, overlap: 50, minTokens: 100 }, sheets: { maxChars: 1500 }, code: { maxChars: 1500, overlap: 200 } };

/** Nothing is projected anyway. */
const RUNNER = { whilePaused: <T>(work: () => Promise<T>) => work() } as unknown as ReadModelRunner;

describe('snapshots of the local state', () => {
  let root: string;
  let blobs: BlobStore;
  const snapshotsIn = async (folder: StateFolder) => new Snapshots(blobs, await new InMemoryScopeKeys().cipher(SCOPE), folder);
  let keys: InMemoryScopeKeys;
  const on = async (folder: StateFolder) => new Snapshots(blobs, await keys.cipher(SCOPE), folder);
  const aFolder = (name: string) => openStateFolder(join(root, name));

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'palimpsest-snapshots-'));
    blobs = new InMemoryBlobStore();
    keys = new InMemoryScopeKeys();
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  /** A state with one knowledge base and one chunk of words, at this position; its snapshot is written. */
  const written = async (folder: StateFolder, at: Position, id = 'handbook'): Promise<void> => {
    const catalog = await openSqliteCatalog({ file: folder.catalog });
    const lexical = await openBm25Index({ root: folder.lexical });
    const settings = { name: 'Handbook', description: '', chunking };
    await catalog.apply([{ change: 'knowledge-base-created', tenant: SCOPE.tenant, id: knowledgeBaseId(id), scope: SCOPE.scope, settings, at: '2026-01-01T00:00:00.000Z' }], at);
    await lexical.apply(PARTITION, [{ write: 'put', chunkId: chunkId('a'.repeat(32)), text: 'brass lamps', language: 'en', attributes: {} }], at);
    await lexical.flush();
    expect(await (await on(folder)).write(RUNNER, catalog)).toBe(at);
    await lexical.close();
    await catalog.close();
  };
  const stateIn = async (folder: StateFolder) => {
    const catalog = await openSqliteCatalog({ file: folder.catalog });
    const lexical = await openBm25Index({ root: folder.lexical });
    const checkpoints = await openSqliteCheckpoints({ file: folder.checkpoints });
    const [reader] = READER;
    const found = {
      position: await catalog.position(),
      bases: (await catalog.knowledgeBases(READER)).map(({ id }) => id),
      hits: reader ? (await lexical.search({ scope: reader, generation: PARTITION.generation }, 'lamps', { k: 5 })).length : -1,
      checkpoint: await checkpoints.get('read-models'),
    };
    for (const each of [catalog, lexical, checkpoints]) await each.close();
    return found;
  };

  it('fill an empty folder with the state, and set its checkpoint', async () => {
    await written(await aFolder('one'), position(70n));
    const other = await aFolder('other');
    expect(await (await on(other)).restore()).toBe(70n);
    expect(await stateIn(other)).toEqual({ position: 70n, bases: ['handbook'], hits: 1, checkpoint: 70n });
    expect((await readdir(other.root)).filter((name) => name.startsWith('restoring'))).toEqual([]);
  });

  it('are left alone where there is a state already, and where there is none to be had', async () => {
    const one = await aFolder('one');
    expect(await (await on(one)).restore()).toBeUndefined();
    await written(one, position(70n));
    expect(await (await on(one)).restore()).toBeUndefined();
  });

  it('are the latest one, and no more than two are kept', async () => {
    for (const at of [10n, 20n, 30n]) await written(await aFolder(`state-${at}`), position(at), `base-${at}`);
    const other = await aFolder('other');
    expect(await (await on(other)).restore()).toBe(30n);
    const names = new Set<string>();
    for await (const key of blobs.list('snapshots')) names.add(key.split('/')[1] ?? '');
    expect([...names].filter((name) => name !== 'latest')).toHaveLength(2);
  });

  it('hold nothing in clear', async () => {
    await written(await aFolder('one'), position(70n));
    for await (const key of blobs.list('snapshots')) expect(Buffer.from((await blobs.get(key)) ?? new Uint8Array()).includes('lamps')).toBe(false);
  });

  it.each(['lost', 'damaged'] as const)('leave the folder empty when a part is %s', async (how) => {
    await written(await aFolder('one'), position(70n));
    for await (const key of blobs.list('snapshots'))
      if (/\/\d+\.\d+$/.test(key)) await (how === 'lost' ? blobs.delete(key) : blobs.put(blobKey(key), new Uint8Array(100)));
    const other = await aFolder('other');
    await expect((await on(other)).restore()).rejects.toMatchObject({ code: 'Corrupt' });
    expect((await readdir(other.root)).sort()).toEqual(['lexical']);
  });

  it('of another key are refused, not taken for something', async () => {
    await written(await aFolder('one'), position(70n));
    await expect((await snapshotsIn(await aFolder('other'))).restore()).rejects.toMatchObject({ code: 'Corrupt' });
  });

  it('may hold files larger than one part', async () => {
    const one = await aFolder('one');
    const large = Buffer.alloc(20 * 1024 * 1024, 7);
    await writeFile(join(one.lexical, 'large'), large);
    const catalog = await openSqliteCatalog({ file: one.catalog });
    await (await on(one)).write(RUNNER, catalog);
    await catalog.close();
    const other = await aFolder('other');
    await (await on(other)).restore();
    expect((await readFile(join(other.lexical, 'large'))).equals(large)).toBe(true);
  });
});
