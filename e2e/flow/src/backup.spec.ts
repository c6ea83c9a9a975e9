import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { backUp, passphrase, restoreBackup, type RestoreOptions } from '@palimpsest/backup';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { eventually } from '@palimpsest/test-kit/eventually';
import { accepted, one, submitText } from '@palimpsest/e2e-support/submit';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { subjectKey } from '@palimpsest/knowledge/subjects';
import { tenantId, vectorScope } from '@palimpsest/knowledge/values';
import { recordedEvents } from '@palimpsest/e2e-support/recorded-events';
import { searchFolder, textProbes } from '@palimpsest/foundation';

const SECRET = passphrase('correct horse battery');

describe('a backup of a running platform', () => {
  let data: string;
  let standIn: EmbeddingStandIn;
  let platform: PlatformUnderTest;

  beforeEach(async () => {
    [data, standIn] = [join(await aDataFolder(), 'data'), await EmbeddingStandIn.open()];
    platform = await PlatformUnderTest.start(data, standIn.settings());
  });

  const backup = async (name: string) => backUp({ data, target: join(data, '..', name), secret: SECRET, by: 'test' });
  /** Opens the restored folder with a second platform, while the original keeps running. */
  const startRestored = async (name: string, erased: RestoreOptions['erased'] = []): Promise<PlatformUnderTest> => {
    const restored = join(data, '..', `restored-${name}`);
    await restoreBackup({ file: join(data, '..', name), data: restored, secret: SECRET, erased });
    return PlatformUnderTest.start(restored, standIn.settings());
  };
  const fingerprints = async (of: PlatformUnderTest) => {
    const { clean, partitions, position } = await of.client.operations.verify();
    expect(clean).toBe(true);
    return { partitions, position };
  };
  /** Without positions: the audit trail records each `verify`, so they grow. */
  const contents = async (of: PlatformUnderTest) => (await fingerprints(of)).partitions;

  it('restores the same fingerprints at the same position, and the same results', async () => {
    await platform.client.knowledgeBases.create({ id: 'red', scope: 'team:red' });
    for (const [knowledgeBase, text] of [
      ['default', 'Otters swim in the river.'],
      ['red', 'The red team meets on Mondays.'],
    ] as const)
      await submitText(platform.client, { knowledgeBase, sourceId: 'a.md', text });
    await submitText(platform.client, { sourceId: 'a.md', text: 'Otters swim in the sea, too.' });
    const { manifest } = await backup('b.backup');
    const before = await fingerprints(platform);
    const restored = await startRestored('b.backup');
    expect(BigInt(manifest.position)).toBeLessThanOrEqual(BigInt(before.position));
    expect(await contents(restored)).toEqual(before.partitions);
    expect(restored.key).toBe(platform.key);
    const search = async (of: PlatformUnderTest) => (await of.client.search({ query: 'where do otters swim', explain: false })).hits;
    expect(await search(restored)).toEqual(await search(platform));
    expect(await restored.client.documents.list()).toEqual(await platform.client.documents.list());
  });

  it('restores no scope that was erased since, if it has the receipt of the erasure', async () => {
    await platform.client.knowledgeBases.create({ id: 'red', scope: 'team:red', name: 'Secretkeeping' });
    const text = { text: 'The quartermaster keeps the secret.' };
    const { documentId } = await submitText(platform.client, { knowledgeBase: 'red', sourceId: 'quartermaster.md', ...text });
    await submitText(platform.client, { sourceId: 'a.md', text: 'Otters swim in the river.' });
    await submitText(platform.client, { sourceId: 'ann.md', subject: 'ann@example.org', text: 'The boatswain keeps the ledger.' });
    await backup('b.backup');
    await platform.client.erasures.start('team:red', 'team:red');
    const { subject } = await platform.client.erasures.startOfPerson('ann@example.org');
    const person = { tenant: tenantId('default'), subject: subjectKey(subject) };
    const completed = async (of: PlatformUnderTest) =>
      eventually('it is complete', async () => ((await of.client.erasures.get('team:red')).state === 'completed' ? true : undefined));
    await completed(platform);
    const { publicKey } = await platform.client.erasures.receipt('team:red');
    const scope = { tenant: tenantId('default'), scope: vectorScope('team:red') };
    const other = startRestored('b.backup', [{ of: scope, publicKey: publicKey.replace(/^./, (c) => (c === 'A' ? 'B' : 'A')) }]);
    await expect(other).rejects.toMatchObject({ code: 'InvalidValue', field: 'erased' });
    const restored = await startRestored('b.backup', [
      { of: scope, publicKey },
      { of: person, publicKey },
    ]);
    await completed(restored);
    await eventually('it is complete', async () =>
      (await restored.client.erasures.getOfPerson(subject)).state === 'completed' ? true : undefined,
    );
    expect((await restored.client.search({ query: 'quartermaster secret boatswain' })).hits.map(({ source }) => source)).toEqual(['a.md']);
    expect((await restored.ask(`GET /v1/documents/${documentId}/versions/1`)).status).toBe(410);
    await restored.stop();
    const probes = ['quartermaster', 'Secretkeeping', 'boatswain', 'ann@example.org'].flatMap((each) => textProbes(each, each));
    expect((await searchFolder(restored.data, probes)).found).toEqual(new Map());
  });

  it('contains everything that was acknowledged before it began, during concurrent writes', async () => {
    const acknowledged: string[] = [];
    let [stop, n] = [false, 0];
    const write = async (): Promise<void> => {
      while (!stop) {
        const sourceId = `${(n += 1)}.md`;
        await platform.client.documents.submitText({ sourceId, text: `Number ${sourceId} is about herons.` });
        acknowledged.push(sourceId);
      }
    };
    const writers = [write(), write(), write(), write()];
    await eventually('some documents are acknowledged', async () => acknowledged.length >= 20 || undefined);
    const must = [...acknowledged];
    const { manifest } = await backup('b.backup').finally(() => (stop = true));
    await Promise.all(writers);
    const restored = await startRestored('b.backup');
    // Documents that were accepted but not indexed at that moment are processed now.
    const { documents: all } = await restored.client.documents.list({ limit: 500 });
    const there = new Set(all.map(({ sourceId }) => sourceId));
    expect(must.filter((sourceId) => !there.has(sourceId))).toEqual([]);
    await restored.client.waitForAll({ pollMs: 50 });
    const { documents } = await restored.client.documents.list({ limit: 500 });
    expect(documents.filter(({ status }) => status !== 'indexed')).toEqual([]);
    await fingerprints(restored);
    const [original, copy] = [await recordedEvents(platform.data), await recordedEvents(restored.data)];
    expect(copy.slice(0, manifest.parts.events.items)).toEqual(original.slice(0, manifest.parts.events.items));
  });

  it('processes accepted documents once after the restore, and does not repeat finished work', async () => {
    await submitText(platform.client, { sourceId: 'done.md', text: 'This was done before.' });
    let release = (): void => undefined;
    standIn.beforeAnswer = () => new Promise((resolve) => (release = resolve));
    const waiting = one(accepted(await platform.client.documents.submitText({ sourceId: 'waiting.md', text: 'This one still waits.' })));
    await eventually(
      'the document is being processed',
      async () => standIn.texts.some((text) => text.includes('still waits')) || undefined,
    );
    await backup('b.backup');
    standIn.beforeAnswer = () => Promise.resolve();
    release();
    await platform.client.waitFor([waiting]);
    const before = standIn.texts.length;
    const restored = await startRestored('b.backup');
    await restored.client.waitFor([waiting]);
    expect(standIn.texts.slice(before)).toEqual([expect.stringContaining('still waits')]);
    expect((await restored.client.documents.get(waiting.documentId)).status).toBe('indexed');
    const [original, copy] = [await fingerprints(platform), await fingerprints(restored)];
    expect(copy.partitions).toEqual(original.partitions);
  });

  it('also works on the folder of a killed platform', async () => {
    await submitText(platform.client, { sourceId: 'a.md', text: 'Otters swim in the river.' });
    const before = await contents(platform);
    await platform.kill();
    await backup('b.backup');
    await rm(data, { recursive: true });
    expect(await contents(await startRestored('b.backup'))).toEqual(before);
  });
});
