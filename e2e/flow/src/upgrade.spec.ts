import { chmod, cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { backUp, passphrase, restoreBackup } from '@palimpsest/backup';
import type { PalimpsestClient } from '@palimpsest/client';
import { expectProblem } from '@palimpsest/e2e-support/ask';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { eventually } from '@palimpsest/test-kit/eventually';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { submitText, accepted, one } from '@palimpsest/e2e-support/submit';
import { ranking, recordDataFolder, SCOPE, SECOND_MODEL, seen, UNINDEXED } from './upgrade/scenario.ts';

/**
 * What earlier versions wrote, each in a folder named after its format: a data folder, a backup, an export, and what callers saw. A change of
 * the wire format adds one, recorded by the version before it: E2E_RECORD_DATA_FOLDER=<name> and this spec.
 */
const RECORDED = fileURLToPath(new URL('./upgrade/', import.meta.url));
const SECRET = passphrase('an upgrade for everyone');
type Expected = Awaited<ReturnType<typeof recordDataFolder>>;

const WORDS = ['otter', 'river', 'beaver', 'sourceId', 'documentId'];

/** Files of the indexes that show one of the words. */
const clearIndexFiles = async (data: string): Promise<readonly string[]> => {
  const root = join(data, 'read-models');
  const found: string[] = [];
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/[/\\](?:vectors|lexical)(?:\.|$)/.test(entry.parentPath)) continue;
    const bytes = await readFile(join(entry.parentPath, entry.name));
    if (WORDS.some((word) => bytes.includes(word) || bytes.includes(Buffer.from(word, 'utf16le')))) found.push(entry.name);
  }
  return found;
};

const recording = process.env['E2E_RECORD_DATA_FOLDER'];
const versions = readdirSync(RECORDED, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

if (recording !== undefined)
  it('records a data folder, a backup and an export', async () => {
    const [target, standIn, data] = [join(RECORDED, recording), await EmbeddingStandIn.open(), join(await aDataFolder(), 'data')];
    expect(existsSync(target)).toBe(false);
    const expected = await recordDataFolder(data, standIn);
    await mkdir(target, { recursive: true });
    await backUp({ data, target: join(target, 'palimpsest.backup'), secret: SECRET, by: 'test' });
    await cp(data, join(target, 'data'), { recursive: true });
    const platform = await PlatformUnderTest.start(data, standIn.settings(SECOND_MODEL));
    const parts: Uint8Array[] = [];
    for await (const bytes of platform.client.transfer.exportScope(SCOPE, { portable: true })) parts.push(bytes);
    await platform.stop();
    await writeFile(join(target, 'zoo.export.jsonl'), Buffer.concat(parts));
    await writeFile(join(target, 'expected.json'), `${JSON.stringify(expected, undefined, 1)}\n`);
  });
else
  describe.each(versions)('an installation of %s', (version) => {
    const folder = join(RECORDED, version);
    let standIn: EmbeddingStandIn;
    let expected: Expected;

    beforeAll(async () => {
      standIn = await EmbeddingStandIn.open();
      expected = JSON.parse(await readFile(join(folder, 'expected.json'), 'utf8')) as Expected;
    });

    const start = (data: string) => PlatformUnderTest.start(data, standIn.settings(SECOND_MODEL));
    const copy = async (): Promise<string> => {
      const data = join(await aDataFolder(), 'data');
      await cp(join(folder, 'data'), data, { recursive: true });
      // Git does not keep these modes.
      await chmod(join(data, 'keys'), 0o700);
      for (const file of ['master.key', 'local-api-key']) await chmod(join(data, 'keys', file), 0o600);
      return data;
    };
    const restored = async (): Promise<string> => {
      const data = join(await aDataFolder(), 'data');
      await restoreBackup({ file: join(folder, 'palimpsest.backup'), data, secret: SECRET });
      return data;
    };
    /** The document that the old version had accepted and not indexed. */
    const finished = (client: PalimpsestClient) =>
      eventually(
        'the accepted document is indexed',
        async () => {
          const [document] = (await client.documents.list({ source: 'later.md' })).documents;
          return document?.status === 'indexed' ? document : undefined;
        },
        60_000,
      );
    const withoutLater = ({ details, chunks, ...rest }: Awaited<ReturnType<typeof seen>>) => {
      const at = details.findIndex(({ sourceId }) => sourceId === 'later.md');
      return { ...rest, details: details.filter((_, i) => i !== at), chunks: chunks.filter((_, i) => i !== at) };
    };
    const denseScores = (hits: Expected['own']['hits']) =>
      hits
        .filter((_, i) => ranking(i) === 'DenseOnly')
        .map((list) => list.filter(({ source }) => source !== 'later.md').map(({ chunkId, score, text }) => ({ chunkId, score, text })));
    /** It was a cosine when the answers were recorded. */
    const withoutRelevance = <Shown extends Pick<Expected['own'], 'hits'>>({ hits, ...rest }: Shown) => ({
      ...rest,
      hits: hits.map((list) => list.map(({ relevance: _, ...hit }) => hit)),
    });
    /** With what the platform shows in addition since the recording. */
    const asShownNow = <Shown extends Pick<Expected['own'], 'details' | 'hits'>>(recorded: Shown) => ({
      ...withoutRelevance(recorded),
      details: recorded.details.map((document) => ({ ...document, withoutVector: 0 })),
    });
    const expectUnchanged = async (platform: PlatformUnderTest): Promise<void> => {
      const { key, ...other } = expected.other;
      const own = withoutLater(await seen(platform.client));
      // The one document more changes BM25's statistics, and with them the scores of the other strategies.
      expect({ ...own, hits: denseScores(own.hits) }).toEqual({ ...asShownNow(expected.own), hits: denseScores(expected.own.hits) });
      expect(withoutRelevance(await seen(platform.as(key)))).toEqual(asShownNow(other));
    };

    it.each([
      ['a data folder', copy],
      ['a backup', restored],
    ] as const)('%s opens, verifies and shows what it showed', async (_, from) => {
      const platform = await start(await from());
      await finished(platform.client);
      await expectUnchanged(platform);
      expect((await platform.client.operations.verify()).clean).toBe(true);
      expect((await platform.client.search({ query: UNINDEXED, strategy: 'SparseOnly' })).hits).toMatchObject([{ source: 'later.md' }]);
      await platform.client.operations.rebuild();
      await expectUnchanged(platform);
      await platform.stop();
    });

    it('has no words or labels in the clear in the files of its indexes after its first start', async () => {
      const data = await copy();
      // A version that sealed them already has none before.
      if (version === 'events-v1') expect(await clearIndexFiles(data)).not.toEqual([]);
      const platform = await start(data);
      await finished(platform.client);
      await platform.stop();
      expect(await clearIndexFiles(data)).toEqual([]);
    });

    it('goes on: documents are recognised, changed, deleted and re-embedded; a backup of it can be restored', async () => {
      const data = await copy();
      const platform = await start(data);
      const { client } = platform;
      await finished(client);
      const [known] = expected.own.details.filter(({ sourceId }) => sourceId === '0.md');
      const same = one(
        (
          await client.documents.submitText({
            knowledgeBase: 'animals',
            sourceId: '0.md',
            title: 'Text 0',
            text: 'Otters swim in the river and eat fish.',
          })
        ).documents,
      );
      expect(same).toMatchObject({ status: 'skipped', documentId: known?.documentId, version: known?.version });
      const changed = await submitText(client, {
        knowledgeBase: 'animals',
        sourceId: '0.md',
        title: 'Text 0',
        text: 'Otters hunt for crabs by night.',
      });
      expect(changed).toMatchObject({ documentId: known?.documentId, version: (known?.version ?? 0) + 1, document: { status: 'indexed' } });
      expect((await client.search({ query: 'crabs', strategy: 'SparseOnly' })).hits).toMatchObject([{ source: '0.md' }]);
      const [gone] = (await client.documents.list({ source: '1.md' })).documents;
      await client.documents.remove(gone?.documentId ?? '');
      expect((await client.search({ query: 'herons', strategy: 'SparseOnly' })).hits.map(({ source }) => source)).toEqual(['old.md']);
      // A limit that the old version had set still holds.
      const other = platform.as(expected.other.key);
      for (const n of [1, 2]) await submitText(other, { sourceId: `${n}.md`, text: `Number ${n}` });
      expectProblem(
        await platform.ask('POST /v1/documents', { key: expected.other.key, json: { sourceId: '3.md', text: 'Number 3' } }),
        403,
        'QuotaExceeded',
      );
      expect(accepted(await client.documents.submitText({ sourceId: 'new.md', text: 'A new document about newts.' }))).toHaveLength(1);
      await eventually('it is indexed', async () =>
        (await client.search({ query: 'newts', strategy: 'SparseOnly' })).hits.length === 1 ? true : undefined,
      );
      expect((await client.operations.verify()).clean).toBe(true);
      await client.operations.rebuild();
      const { partitions, clean } = await client.operations.verify();
      expect(clean).toBe(true);
      await backUp({ data, target: join(data, '..', 'new.backup'), secret: SECRET, by: 'test' });
      await platform.stop();
      const again = join(data, '..', 'restored');
      await restoreBackup({ file: join(data, '..', 'new.backup'), data: again, secret: SECRET });
      const second = await start(again);
      expect((await second.client.operations.verify()).partitions).toEqual(partitions);
      await second.stop();
      const third = await PlatformUnderTest.start(again, standIn.settings('stand-in-3'));
      await third.client.operations.reembed(SCOPE);
      await eventually(
        'the scope uses the third model',
        async () => ((await third.client.operations.reembedProgress(SCOPE)).state === 'idle' ? true : undefined),
        60_000,
      );
      expect((await third.client.search({ query: 'crabs by night', scopes: [SCOPE] })).hits[0]).toMatchObject({ source: '0.md' });
      expect((await third.client.operations.verify()).clean).toBe(true);
      await third.stop();
    });

    it('has an export that a new installation can import', async () => {
      const platform = await start(await aDataFolder());
      const lines = (await readFile(join(folder, 'zoo.export.jsonl'), 'utf8')).trimEnd().split('\n');
      const head = JSON.parse(lines[0] ?? '') as Parameters<PalimpsestClient['transfer']['begin']>[1];
      await platform.client.transfer.begin(SCOPE, head);
      const asked = await standIn.askedDuring(async () => {
        const { documents } = await platform.client.transfer.importDocuments(SCOPE, Buffer.from(lines.slice(1, -1).join('\n')), {
          embeddingVersion: (head as { embeddingVersion: string }).embeddingVersion,
        });
        await platform.client.waitFor(
          documents.filter(({ status }) => status === 'imported').map(({ documentId }) => ({ documentId, version: 1 }) as never),
        );
      });
      expect(asked.filter((text) => !text.includes(UNINDEXED))).toEqual([]);
      expect((await platform.client.search({ query: 'badger worms', scopes: [SCOPE] })).hits[0]).toMatchObject({ source: 'table.csv' });
      expect((await platform.client.operations.verify()).clean).toBe(true);
      await platform.stop();
    });
  });
