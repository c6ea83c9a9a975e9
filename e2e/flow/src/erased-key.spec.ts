import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openFolderBlobStore, openMasterKey, openScopeKeys } from '@palimpsest/adapters-folder';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { submitText } from '@palimpsest/e2e-support/submit';
import { DEFAULT_TENANT, vectorScope } from '@palimpsest/knowledge/values';
import { eventually } from '@palimpsest/test-kit/eventually';

const SECRETS = ['lighthouse', 'hyperborean', 'confidential'];

describe('a scope whose key was destroyed', () => {
  let data: string;
  let standIn: EmbeddingStandIn;
  let platform: PlatformUnderTest;
  let operator: string;
  let moment: string;

  /** Files of the indexes, by their path below the folder of the read models. */
  const indexFiles = async (): Promise<readonly string[]> =>
    (await readdir(join(data, 'read-models'), { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile() && /[/\\](?:vectors|lexical)$/.test(entry.parentPath))
      .map((entry) => join(entry.parentPath, entry.name));
  const search = (query: string, scope: string) => platform.client.search({ query, scopes: [scope] });
  const start = async () => (platform = await PlatformUnderTest.start(data, standIn.settings()));

  beforeAll(async () => {
    data = await aDataFolder();
    standIn = await EmbeddingStandIn.open();
    await start();
    operator = (await platform.client.operations.createApiKey({ name: 'operator', roles: ['admin', 'operator'], teams: ['*'] })).key;
    await platform.client.knowledgeBases.create({ id: 'red', scope: 'team:red' });
    await submitText(platform.client, {
      knowledgeBase: 'red',
      sourceId: 'lighthouse.md',
      text: 'The hyperborean lighthouse keeper writes a log.',
      labels: { level: 'confidential' },
    });
    await submitText(platform.client, { sourceId: 'harbour.md', text: 'The harbour has a clock.' });
    expect((await search('lighthouse', 'team:red')).hits).toHaveLength(1);
    moment = new Date().toISOString();
  });

  it('had nothing readable in the files of its indexes', async () => {
    await platform.stop();
    const files = await indexFiles();
    expect(files.filter((file) => file.includes('team+red')).length).toBeGreaterThan(1);
    for (const file of files)
      for (const secret of SECRETS)
        for (const encoding of ['utf8', 'utf16le'] as const)
          expect((await readFile(file)).includes(Buffer.from(secret, encoding))).toBe(false);
  });

  it('does not hold up a start, which removes the files of its indexes; other scopes are as before', async () => {
    const blobs = await openFolderBlobStore(join(data, 'blobs'));
    const masterKey = await openMasterKey(join(data, 'keys', 'master.key'), async () => true);
    await openScopeKeys({ blobs, masterKey }).destroy({ tenant: DEFAULT_TENANT, scope: vectorScope('team:red') });
    await start();
    expect((await search('clock', 'deployment')).hits.map(({ source }) => source)).toEqual(['harbour.md']);
    await eventually('its index files are removed', async () => {
      // A folder may vanish while it is listed.
      const files = await indexFiles().catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return undefined;
        throw error;
      });
      return files?.every((file) => !file.includes('team+red')) || undefined;
    });
    expect((await search('lighthouse', 'team:red')).hits).toEqual([]);
  });

  it('does not hold up verify, a rebuild, another start, or a search of an earlier moment', async () => {
    const verified = async () => (await platform.ask('POST /v1/admin/verify', { key: operator })).json;
    expect(await verified()).toMatchObject({ clean: true });
    await platform.client.operations.rebuild();
    expect(await verified()).toMatchObject({ clean: true });
    await platform.stop();
    await start();
    expect((await search('clock', 'deployment')).hits.map(({ source }) => source)).toEqual(['harbour.md']);
    expect((await search('lighthouse', 'team:red')).hits).toEqual([]);
    const past = (query: string, scope: string) => platform.client.search({ query, scopes: [scope], asOf: moment });
    expect((await past('clock', 'deployment')).hits.map(({ source }) => source)).toEqual(['harbour.md']);
    expect((await past('lighthouse', 'team:red')).hits).toEqual([]);
    await platform.stop();
  });
});
