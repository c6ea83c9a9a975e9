import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openBm25Index } from '@palimpsest/adapters-bm25';
import { masterKeyCipher } from '@palimpsest/adapters-folder';
import { openSqliteCatalog, openSqliteCheckpoints } from '@palimpsest/adapters-sqlite';
import { authorise } from '@palimpsest/knowledge/access';
import { blobKey } from '@palimpsest/knowledge/ports';
import {
  chunkId,
  chunkingVersion,
  DEFAULT_CHUNK_LIST,
  documentId,
  embeddingVersion,
  generationId,
  knowledgeBaseId,
  position,
  recipeWith,
  sha256,
  sourceId,
  tenantId,
  vectorScope,
} from '@palimpsest/knowledge/values';
import type { BlobStore } from '@palimpsest/knowledge/ports';
import type { CatalogRow, IndexPartition } from '@palimpsest/knowledge/read-models';
import type { Position, TenantScope } from '@palimpsest/knowledge/values';
import type { ReadModelRunner } from '@palimpsest/projections';
import { InMemoryBlobStore, InMemoryScopeKeys } from '@palimpsest/test-kit';
import { Snapshots } from './snapshots.ts';
import { openStateFolder, type StateFolder } from './state-folder.ts';

const SCOPE = { tenant: tenantId('acme'), scope: vectorScope('deployment') };
const MODEL = embeddingVersion('fake:model/8');
const INSTALLATION = masterKeyCipher(randomBytes(32));
const READER = authorise({ tenant: SCOPE.tenant, teams: [], roles: ['reader'], actor: 'spec' }, [SCOPE.scope]);
const PARTITION: IndexPartition = { scope: SCOPE, generation: generationId('g1') };
const chunking = {
  markdown: { maxChars: 1500 },
  tokens: { maxTokens: 500, overlap: 50, minTokens: 100 },
  sheets: { maxChars: 1500 },
  code: { maxChars: 1500, overlap: 200 },
};

/** No projections run in this test. */
const RUNNER = { whilePaused: <T>(work: () => Promise<T>) => work() } as unknown as ReadModelRunner;

describe('snapshots of the local state', () => {
  let root: string;
  let blobs: BlobStore;
  const snapshotsIn = async (folder: StateFolder) => new Snapshots(blobs, keys, masterKeyCipher(randomBytes(32)), folder);
  let keys: InMemoryScopeKeys;
  const on = async (folder: StateFolder) => new Snapshots(blobs, keys, INSTALLATION, folder);
  const aFolder = (name: string) => openStateFolder(join(root, name));

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'palimpsest-snapshots-'));
    blobs = new InMemoryBlobStore();
    keys = new InMemoryScopeKeys();
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  /** Creates a state with one knowledge base and one lexical chunk at this position, and writes its snapshot. */
  const written = async (folder: StateFolder, at: Position, id = 'handbook'): Promise<void> => {
    const catalog = await openSqliteCatalog({ file: folder.catalog });
    const lexical = await openBm25Index({ root: folder.lexical, keys });
    const settings = { name: 'Handbook', description: '', chunking };
    await catalog.apply(
      [
        {
          change: 'knowledge-base-created',
          tenant: SCOPE.tenant,
          id: knowledgeBaseId(id),
          scope: SCOPE.scope,
          settings,
          at: '2026-01-01T00:00:00.000Z',
        },
      ],
      at,
    );
    await lexical.apply(
      PARTITION,
      [{ write: 'put', chunkId: chunkId('a'.repeat(32)), text: 'brass lamps', language: 'en', attributes: {} }],
      at,
    );
    await lexical.flush();
    expect(await (await on(folder)).write(RUNNER, catalog)).toBe(at);
    await lexical.close();
    await catalog.close();
  };
  const stateIn = async (folder: StateFolder) => {
    const catalog = await openSqliteCatalog({ file: folder.catalog });
    const lexical = await openBm25Index({ root: folder.lexical, keys });
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

  it('fill an empty folder and set its checkpoint', async () => {
    await written(await aFolder('one'), position(70n));
    const other = await aFolder('other');
    expect(await (await on(other)).restore()).toBe(70n);
    expect(await stateIn(other)).toEqual({ position: 70n, bases: ['handbook'], hits: 1, checkpoint: 70n });
    expect((await readdir(other.root)).filter((name) => name.startsWith('restoring'))).toEqual([]);
  });

  it('are not restored into an existing state, or if none exists', async () => {
    const one = await aFolder('one');
    expect(await (await on(one)).restore()).toBeUndefined();
    await written(one, position(70n));
    expect(await (await on(one)).restore()).toBeUndefined();
  });

  it('restore the latest state, and only two are kept', async () => {
    for (const at of [10n, 20n, 30n]) await written(await aFolder(`state-${at}`), position(at), `base-${at}`);
    const other = await aFolder('other');
    expect(await (await on(other)).restore()).toBe(30n);
    const names = new Set<string>();
    for await (const key of blobs.list('snapshots')) names.add(key.split('/')[1] ?? '');
    expect([...names].filter((name) => name !== 'newest')).toHaveLength(2);
  });

  it('contain no plain text', async () => {
    await written(await aFolder('one'), position(70n));
    for await (const key of blobs.list('snapshots'))
      expect(Buffer.from((await blobs.get(key)) ?? new Uint8Array()).includes('lamps')).toBe(false);
  });

  it.each(['lost', 'damaged'] as const)('leave the folder empty if a part is %s', async (how) => {
    await written(await aFolder('one'), position(70n));
    for await (const key of blobs.list('snapshots'))
      if (/\/(?:\d+|rows)\.\d+$/.test(key)) await (how === 'lost' ? blobs.delete(key) : blobs.put(blobKey(key), new Uint8Array(100)));
    const other = await aFolder('other');
    await expect((await on(other)).restore()).rejects.toMatchObject({ code: 'Corrupt' });
    expect((await readdir(other.root)).sort()).toEqual(['lexical']);
  });

  it('sealed with another key are rejected', async () => {
    await written(await aFolder('one'), position(70n));
    await expect((await snapshotsIn(await aFolder('other'))).restore()).rejects.toMatchObject({ code: 'Corrupt' });
  });

  it('can contain files larger than one part', async () => {
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

  describe('of several scopes', () => {
    const RED = { tenant: tenantId('acme'), scope: vectorScope('team:red') };
    const OTHER = { tenant: tenantId('globex'), scope: vectorScope('deployment') };
    const words = new Map([
      [RED, 'marigold'],
      [OTHER, 'tungsten'],
    ]);
    const partitionOf = (scope: TenantScope): IndexPartition => ({ scope, generation: generationId('g1') });

    const writtenWithBoth = async (folder: StateFolder): Promise<void> => {
      const catalog = await openSqliteCatalog({ file: folder.catalog });
      const lexical = await openBm25Index({ root: folder.lexical, keys });
      for (const [scope, word] of words) {
        const chunk = { chunkId: chunkId('a'.repeat(32)), start: 0, end: 1, fromLine: 1, toLine: 1 };
        const content = {
          chunkId: chunk.chunkId,
          contentHash: sha256('0'.repeat(64)),
          sealedText: Uint8Array.of(1, 2),
          language: 'en',
          symbol: `${word}Symbol`,
        };
        const document = {
          ...scope,
          documentId: documentId('d'.repeat(32)),
          version: 1,
          title: `The ${word}`,
          mediaType: 'text/plain',
          labels: { [word]: word },
          origin: 'UserContent' as const,
        };
        const at = '2026-01-01T00:00:00.000Z';
        await catalog.apply(
          [
            {
              change: 'knowledge-base-created',
              tenant: scope.tenant,
              id: knowledgeBaseId('kb'),
              scope: scope.scope,
              settings: { name: `Base ${word}`, description: word, chunking },
              at,
            },
            {
              change: 'generation',
              scope,
              generation: { id: generationId('g1'), embeddingVersion: MODEL, recipe: recipeWith({ version: MODEL }), status: 'active' },
            },
            {
              change: 'document-submitted',
              ...document,
              knowledgeBase: knowledgeBaseId('kb'),
              sourceId: sourceId(`${word}.md`),
              bytes: 1,
              checksum: sha256('0'.repeat(64)),
              at,
            },
            {
              change: 'document-indexed',
              ...document,
              chunkList: DEFAULT_CHUNK_LIST,
              language: 'en',
              chunkingVersion: chunkingVersion('markdown@1'),
              metadata: { [word]: word },
              failedChunks: 0,
              warnings: [word],
              at,
              chunks: [chunk],
              contents: [content],
            },
          ],
          position(scope === RED ? 10n : 20n),
        );
        await lexical.apply(
          partitionOf(scope),
          [{ write: 'put', chunkId: chunk.chunkId, text: `brass ${word}`, language: 'en', attributes: {} }],
          position(20n),
        );
      }
      await lexical.flush();
      await (await on(folder)).write(RUNNER, catalog);
      await lexical.close();
      await catalog.close();
    };
    const rowsIn = async (folder: StateFolder) => {
      const catalog = await openSqliteCatalog({ file: folder.catalog });
      const rows: CatalogRow[] = [];
      for await (const row of catalog.rows()) rows.push(row);
      const use = await Promise.all([...words.keys()].map(({ tenant }) => catalog.use(tenant)));
      await catalog.close();
      return { rows, use };
    };

    it('restore every row of every scope', async () => {
      const [one, other] = [await aFolder('one'), await aFolder('other')];
      await writtenWithBoth(one);
      await (await on(other)).restore();
      expect(await rowsIn(other)).toEqual(await rowsIn(one));
      expect((await rowsIn(other)).rows.length).toBeGreaterThan(8);
    });

    it('show nothing about their contents to the key of the platform', async () => {
      await writtenWithBoth(await aFolder('one'));
      let opened = 0;
      for await (const key of blobs.list('snapshots')) {
        const sealed = (await blobs.get(key)) ?? new Uint8Array();
        expect(Buffer.from(sealed).toString('latin1')).not.toMatch(/marigold|tungsten|brass/i);
        try {
          expect(Buffer.from(INSTALLATION.open(sealed, key)).toString('latin1')).not.toMatch(/marigold|tungsten|brass/i);
          opened += 1;
        } catch (error) {
          expect(error).toMatchObject({ code: 'Corrupt' });
        }
      }
      expect(opened).toBeGreaterThanOrEqual(2);
    });

    it('restore all but a scope whose key was destroyed', async () => {
      const [one, other] = [await aFolder('one'), await aFolder('other')];
      await writtenWithBoth(one);
      await keys.destroy(RED);
      expect(await (await on(other)).restore()).toBe(20n);
      const { rows } = await rowsIn(other);
      expect(rows).toEqual((await rowsIn(one)).rows.filter(({ tenant }) => tenant === OTHER.tenant));
      expect(rows.length).toBeGreaterThan(4);
      const files = (await readdir(other.lexical, { recursive: true })).join();
      expect(files).toContain('globex');
      expect(files).not.toContain('acme');
    });
  });
});
