import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expectProblem } from '@palimpsest/e2e-support/ask';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { submitText } from '@palimpsest/e2e-support/submit';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';

/** Flips one bit in the middle of a file. Returns a function that restores it. */
const flip = async (path: string): Promise<() => Promise<void>> => {
  const intact = await readFile(path);
  const wrong = Buffer.from(intact);
  const at = Math.floor(wrong.length / 2);
  wrong.writeUInt8(wrong.readUInt8(at) ^ 1, at);
  await writeFile(path, wrong);
  return () => writeFile(path, intact);
};

const TEXT = 'The lighthouse keeper writes a log.';

describe('a flipped byte', () => {
  let data: string;
  let standIn: EmbeddingStandIn;
  let platform: PlatformUnderTest;
  let operator: string;
  const start = async (options = {}) => (platform = await PlatformUnderTest.start(data, standIn.settings(), options));
  const verified = async () => (await platform.ask('POST /v1/admin/verify', { key: operator })).json;

  beforeAll(async () => {
    data = await aDataFolder();
    standIn = await EmbeddingStandIn.open();
    await start();
    operator = (await platform.client.operations.createApiKey({ name: 'operator', roles: ['admin', 'operator'], teams: ['*'] })).key;
    await platform.client.knowledgeBases.create({ id: 'red', scope: 'team:red' });
    await submitText(platform.client, { knowledgeBase: 'red', sourceId: 'lighthouse.md', text: TEXT });
  });

  it('in no file: verify finds no damage', async () =>
    expect(await verified()).toMatchObject({ clean: true, keyDamage: [], uploadDamage: [] }));

  it('in an upload is reported by verify, and repaired when the file is submitted again', async () => {
    const uploads = await readdir(join(data, 'blobs', 'documents'), { recursive: true, withFileTypes: true });
    const [upload] = uploads.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    await flip(upload ?? '');
    expect(await verified()).toMatchObject({
      clean: false,
      differences: [],
      uploadDamage: [
        expect.stringMatching(
          /^the upload of document [0-9a-f]{32} \(version 1\) of tenant "default" is damaged\. Upload the file again with --force/,
        ),
      ],
    });
    await submitText(platform.client, { knowledgeBase: 'red', sourceId: 'lighthouse.md', text: TEXT, force: true });
    expect(await verified()).toMatchObject({ clean: true, uploadDamage: [] });
  });

  it('in the local API key is reported by verify, and by the next start, which issues a new key', async () => {
    const file = join(data, 'keys', 'local-api-key');
    await flip(file);
    expect(await verified()).toMatchObject({
      clean: false,
      keyDamage: [
        expect.stringMatching(
          /local-api-key holds no valid API key: it is damaged, or the key was revoked\. The next start issues a new key/,
        ),
      ],
    });
    await platform.stop();
    await start();
    expect(platform.stderr).toMatch(/local-api-key held no valid API key .*: a new key was issued/);
    expect((await platform.client.me()).roles).toEqual(['admin', 'operator']);
    expect(await verified()).toMatchObject({ clean: true });
  });

  it('in the master key is reported by verify while the platform runs', async () => {
    const restore = await flip(join(data, 'keys', 'master.key'));
    expect(await verified()).toMatchObject({
      clean: false,
      keyDamage: [expect.stringMatching(/^(?:the )?master key file .*before the next start/)],
    });
    await restore();
    expect(await verified()).toMatchObject({ clean: true });
  });

  it('in the key of a scope is reported at the start and by verify; requests get a clear error, and other scopes keep working', async () => {
    await submitText(platform.client, { sourceId: 'harbour.md', text: 'The harbour has a clock.' });
    await platform.stop();
    const [key] = (await readdir(join(data, 'blobs', 'keys', 'default'))).filter((name) => name.startsWith('team=red'));
    const restore = await flip(join(data, 'blobs', 'keys', 'default', key ?? ''));
    await start();
    expect(platform.stderr).toMatch(/keys\/default\/team:red.*Restore blobs\/keys from a backup/);
    const refused = expectProblem(
      await platform.ask('POST /v1/search', { json: { query: 'lighthouse', scopes: ['team:red'] } }),
      500,
      'Corrupt',
    );
    expect(refused.title).toBe('Stored data is damaged');
    expect(refused.detail).toMatch(/damaged or missing\. Retrying does not help\. Operators can find the cause with `palimpsest verify`/);
    expect((await platform.client.search({ query: 'clock', scopes: ['deployment'] })).hits.map(({ source }) => source)).toEqual([
      'harbour.md',
    ]);
    expect(await verified()).toMatchObject({
      clean: false,
      partitions: [],
      keyDamage: [expect.stringMatching(/keys\/default\/team:red.*Restore blobs\/keys from a backup/)],
    });
    await platform.stop();
    await restore();
    await start();
    expect((await platform.client.search({ query: 'lighthouse', scopes: ['team:red'] })).hits.map(({ source }) => source)).toEqual([
      'lighthouse.md',
    ]);
    expect(await verified()).toMatchObject({ clean: true });
  });
});
