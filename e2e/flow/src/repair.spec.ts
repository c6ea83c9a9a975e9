import { openFolderBlobStore, openMasterKey, openScopeKeys } from '@palimpsest/adapters-folder';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openBm25Index } from '@palimpsest/adapters-bm25';
import { openScanVectorIndex } from '@palimpsest/adapters-vector-scan';
import { aDataFolder, DISTRIBUTED, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { expectProblem } from '@palimpsest/e2e-support/ask';
import { eventually } from '@palimpsest/test-kit/eventually';
import { submitText } from '@palimpsest/e2e-support/submit';
import type { IndexPartition, IndexStore } from '@palimpsest/knowledge/read-models';
import { chunkId, generationId, tenantId, vectorScope, type ChunkId } from '@palimpsest/knowledge/values';
import { currentReadModels } from './current-read-models.ts';

const VERIFY = 'POST /v1/admin/verify';
const REPAIR = 'POST /v1/admin/repair';
const ROOT = DISTRIBUTED ? 'query-0' : 'read-models';
const RED: IndexPartition = {
  scope: { tenant: tenantId('default'), scope: vectorScope('team:red') },
  generation: generationId('g1'),
};
const STRAY = chunkId('f'.repeat(32));
const vector = Float32Array.from({ length: 64 }, (_, i) => (i === 0 ? 1 : 0));
const attributes = { documentId: 'f'.repeat(32) };

describe('a repair', () => {
  let data: string;
  let standIn: EmbeddingStandIn;
  let platform: PlatformUnderTest;
  const start = async (settings: Readonly<Record<string, string>> = {}) =>
    (platform = await PlatformUnderTest.start(data, { ...standIn.settings(), ...settings }));
  const search = async () => (await platform.client.search({ query: 'harbour engine', topK: 50 })).hits;
  const kinds = async () => (await platform.client.operations.verify()).differences.map(({ store, kind }) => `${store} ${kind}`).sort();
  const repairs = async () => (await platform.client.operations.verifications()).repairs;
  const health = async () => platform.client.operations.ragHealth();

  beforeAll(async () => {
    data = await aDataFolder();
    standIn = await EmbeddingStandIn.open();
    await start();
    await platform.client.knowledgeBases.create({ id: 'red', scope: 'team:red', name: 'Red' });
    for (let i = 0; i < 8; i++)
      await submitText(platform.client, {
        sourceId: `${i}.md`,
        text: `The engine of ship ${i} is in the harbour.`,
        ...(i % 2 ? { knowledgeBase: 'red' } : {}),
      });
  });

  it('is for operators only, and so is the history', async () => {
    const { key } = await platform.client.operations.createApiKey({ name: 'admin of acme', tenant: 'acme', roles: ['admin'] });
    for (const route of [VERIFY, REPAIR, 'GET /v1/admin/verify']) expectProblem(await platform.ask(route, { key }), 403, 'Forbidden');
    expect(Object.keys((await platform.ask('GET /health/rag', { key })).json)).not.toContain('verifications');
  });

  it('has nothing to do where nothing differs, and is in the history', async () => {
    expect(await platform.client.operations.verify()).toMatchObject({ clean: true });
    expect(await platform.client.operations.repair()).toMatchObject({ repaired: 0, counts: [], after: { clean: true, full: false } });
    const { verifications, repairs: none, ...settings } = await platform.client.operations.verifications();
    expect(verifications.slice(0, 2)).toMatchObject([
      { trigger: 'repair', clean: true, full: false, differences: [] },
      { trigger: 'requested', clean: true, full: true },
    ]);
    expect([none, settings]).toEqual([[], { running: false, everyHours: 24, repair: 'manual' }]);
    expect((await health()).verifications).toEqual(verifications);
  });

  it('writes rows of the catalog again, those of one scope or of all, while searches go on', async () => {
    const before = await search();
    const catalog = new DatabaseSync(join(await currentReadModels(data, ROOT), 'catalog.db'), { timeout: 5_000 });
    catalog.exec("PRAGMA wal_autocheckpoint = 0; UPDATE documents SET title = 'Wrong', bytes = 1");
    catalog.exec("DELETE FROM chunks WHERE scope = 'team:red'");
    catalog.close();
    expect(new Set(await kinds())).toEqual(new Set(['catalog different', 'catalog missing']));
    expect(await health()).toMatchObject({ status: 'degraded', reasons: expect.arrayContaining(['read-models-differ']) });
    const red = await platform.client.operations.repair({ scopes: ['team:red'] });
    expect(red.after.clean).toBe(false);
    expect(red.counts.every(({ scope }) => scope === 'team:red' || scope === undefined)).toBe(true);
    expect(await platform.client.operations.repair()).toMatchObject({ after: { clean: true } });
    expect(await search()).toEqual(before);
    expect((await health()).reasons).not.toContain('read-models-differ');
    expect(await repairs()).toMatchObject([
      { remaining: 0, trigger: 'requested' },
      { total: red.repaired, counts: red.counts },
    ]);
  });

  it('refuses scopes that do not exist, and a tenant without scopes', async () => {
    expectProblem(await platform.ask(REPAIR, { json: { scopes: ['team:missing'] } }), 404, 'NotFound');
    expectProblem(await platform.ask(REPAIR, { json: { tenant: 'acme' } }), 400, 'InvalidValue');
  });

  /** The platform is stopped. Returns the chunks of the scope. */
  const inIndex = async <Index extends IndexStore>(
    index: Index,
    work: (index: Index, chunks: readonly ChunkId[], at: Awaited<ReturnType<IndexStore['position']>>) => Promise<void>,
  ): Promise<void> => {
    const chunks: ChunkId[] = [];
    for await (const entry of index.entries(RED)) chunks.push(entry.chunkId);
    await work(index, chunks, await index.position(RED));
    await index.flush();
    await index.close();
  };

  // On services, `words-in-qdrant.spec.ts` plants these in the shared store.
  if (!DISTRIBUTED)
    it('writes entries of both indexes again, and no model is called', async () => {
      const before = await search();
      await platform.stop();
      const root = await currentReadModels(data);
      const masterKey = await openMasterKey(join(data, 'keys', 'master.key'), async () => true);
      const keys = openScopeKeys({ blobs: await openFolderBlobStore(join(data, 'blobs')), masterKey });
      await inIndex(await openScanVectorIndex({ root, keys }), async (index, [missing, different], at) => {
        if (missing === undefined || different === undefined) throw new Error('too few chunks');
        await index.apply(
          RED,
          [
            { write: 'remove', chunkId: missing },
            { write: 'put', chunkId: different, vector, attributes },
            { write: 'put', chunkId: STRAY, vector, attributes },
          ],
          at,
        );
      });
      await inIndex(await openBm25Index({ root, keys }), async (index, [missing, different], at) => {
        if (missing === undefined || different === undefined) throw new Error('too few chunks');
        const words = { write: 'put' as const, text: 'pear', language: 'en', attributes };
        await index.apply(
          RED,
          [
            { write: 'remove', chunkId: missing },
            { ...words, chunkId: different },
            { ...words, chunkId: STRAY },
          ],
          at,
        );
      });
      await start();
      expect(await kinds()).toEqual(
        ['lexical', 'vectors'].flatMap((store) => ['different', 'extra', 'missing'].map((kind) => `${store} ${kind}`)),
      );
      const asked = await standIn.askedDuring(async () => {
        const { repaired, counts, after } = await platform.client.operations.repair();
        expect([repaired, counts.length, after.clean]).toEqual([6, 6, true]);
      });
      expect(asked).toEqual([]);
      expect(await search()).toEqual(before);
      expect((await repairs())[0]).toMatchObject({ total: 6, remaining: 0, chunkIds: expect.arrayContaining([STRAY]) });
      expect(await platform.client.operations.verify({ full: true })).toMatchObject({ clean: true, full: true });
    });

  if (!DISTRIBUTED)
    it('is made by a scheduled verification, if that is set', async () => {
      const before = await search();
      await platform.stop();
      await start({ PALIMPSEST_VERIFY_HOURS: '0.001', PALIMPSEST_REPAIR: 'auto' });
      const catalog = new DatabaseSync(join(await currentReadModels(data, ROOT), 'catalog.db'), { timeout: 5_000 });
      catalog.exec("PRAGMA wal_autocheckpoint = 0; UPDATE documents SET title = 'Wrong'");
      catalog.close();
      const repair = await eventually('it is repaired', async () => (await repairs()).find(({ trigger }) => trigger === 'scheduled'));
      expect(repair).toMatchObject({ by: 'scheduled-verification', total: 8, remaining: 0 });
      expect(await search()).toEqual(before);
      await platform.stop();
      await start();
    });

  it('can be killed at any time, and be repeated', async () => {
    const before = await search();
    for (const ms of [0, 30, 60, 120]) {
      const catalog = new DatabaseSync(join(await currentReadModels(data, ROOT), 'catalog.db'), { timeout: 5_000 });
      catalog.exec("PRAGMA wal_autocheckpoint = 0; DELETE FROM chunks; UPDATE documents SET title = 'Wrong'");
      catalog.close();
      const headers = { authorization: `Bearer ${platform.key}` };
      fetch(`${platform.url}/v1/admin/repair`, { method: 'POST', headers }).catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, ms));
      await platform.kill();
      await start();
      expect((await platform.client.operations.repair()).after).toMatchObject({ clean: true });
      expect(await search()).toEqual(before);
    }
  });
});
