import { randomBytes } from 'node:crypto';
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Corrupt, InvalidValue } from '@palimpsest/knowledge/errors';
import { blobKey, ScopeKeyDestroyed, type BlobStore, type ScopeKeys } from '@palimpsest/knowledge/ports';
import { tenantId, vectorScope, type TenantScope } from '@palimpsest/knowledge/values';
import { describeScopeKeys } from '@palimpsest/test-kit';
import { blobPath } from './blob-path.ts';
import { openFolderBlobStore } from './folder-blob-store.ts';
import { WrongMasterKey } from './wrapped-key.ts';
import { openScopeKeys } from './wrapped-scope-keys.ts';

const masterKey = randomBytes(32);
const alice: TenantScope = { tenant: tenantId('default'), scope: vectorScope('user:alice') };
const ALICES_KEY = blobKey('keys/default/user:alice');
const text = Buffer.from('text');

const temporaryRoot = (): Promise<string> => mkdtemp(join(tmpdir(), 'palimpsest-keys-'));

describeScopeKeys('WrappedScopeKeys', async () => {
  const root = await temporaryRoot();
  const keysUnder = async (key: Uint8Array): Promise<ScopeKeys> =>
    openScopeKeys({ blobs: await openFolderBlobStore(root), masterKey: key });
  return {
    keys: await keysUnder(masterKey),
    reopen: () => keysUnder(masterKey),
    reopenWithWrongMasterKey: () => keysUnder(randomBytes(32)),
    dispose: () => rm(root, { recursive: true }),
  };
});

describe('WrappedScopeKeys', () => {
  let root: string;
  let blobs: BlobStore;
  let keys: ScopeKeys;
  beforeEach(async () => {
    root = await temporaryRoot();
    blobs = await openFolderBlobStore(root);
    keys = openScopeKeys({ blobs, masterKey });
  });
  afterEach(() => rm(root, { recursive: true }));

  it('refuses a master key that does not have 32 bytes', () => {
    expect(() => openScopeKeys({ blobs, masterKey: randomBytes(16) })).toThrow(InvalidValue);
  });

  it('throws WrongMasterKey for another master key', async () => {
    await keys.cipher(alice);
    await expect(openScopeKeys({ blobs, masterKey: randomBytes(32) }).cipher(alice)).rejects.toThrow(WrongMasterKey);
  });

  it("does not accept another scope's wrapped key", async () => {
    const bob = { ...alice, scope: vectorScope('user:bob') };
    await keys.cipher(bob);
    await blobs.put(ALICES_KEY, (await blobs.get(blobKey('keys/default/user:bob'))) ?? new Uint8Array());
    await expect(keys.cipher(alice)).rejects.toThrow(Corrupt);
  });

  it.each(['', 'null', '{"format":2}', '{"format":1,"masterKeyId":7,"wrapped":"x"}'])(
    'throws Corrupt for a key blob of %p',
    async (blob) => {
      await blobs.put(ALICES_KEY, Buffer.from(blob));
      await expect(keys.cipher(alice)).rejects.toThrow(Corrupt);
    },
  );

  it('overwrites the wrapped key on disk when it is destroyed', async () => {
    await keys.cipher(alice);
    const path = blobPath(root, ALICES_KEY);
    const old = await open(path, 'r');
    await keys.destroy(alice);
    expect((await old.readFile()).every((byte) => byte === 0)).toBe(true);
    await old.close();
    expect((await readFile(path)).includes('"destroyed":true')).toBe(true);
  });

  it('notices after a while that another process destroyed the key', async () => {
    let now = 0;
    const watching = openScopeKeys({ blobs, masterKey, recheckMs: 1_000, now: () => now });
    const cipher = await watching.cipher(alice);
    await keys.destroy(alice);
    now = 999;
    expect(await watching.cipher(alice)).toBe(cipher);
    now = 1_000;
    await expect(watching.cipher(alice)).rejects.toThrow(ScopeKeyDestroyed);
    expect(() => cipher.seal(text, 'chunk')).toThrow(ScopeKeyDestroyed);
  });

  it('keeps using its key when the store still has it unchanged', async () => {
    const watching = openScopeKeys({ blobs, masterKey, recheckMs: 0 });
    const sealed = (await watching.cipher(alice)).seal(text, 'chunk');
    expect(Buffer.from((await watching.cipher(alice)).open(sealed, 'chunk'))).toEqual(text);
  });

  it('reports every key that is damaged, missing or wrapped with another master key, and creates none', async () => {
    const bob = { ...alice, scope: vectorScope('user:bob') };
    const eve = { ...alice, scope: vectorScope('user:eve') };
    await keys.cipher(alice);
    await keys.cipher(bob);
    expect(await keys.check?.([alice, bob])).toEqual([]);
    const path = blobPath(root, ALICES_KEY);
    const bytes = await readFile(path);
    bytes.writeUInt8(bytes.readUInt8(60) ^ 1, 60);
    await writeFile(path, bytes);
    await openScopeKeys({ blobs, masterKey: randomBytes(32) }).cipher(eve);
    const gone = { ...alice, scope: vectorScope('team:gone') };
    expect([...((await keys.check?.([alice, gone])) ?? [])].sort()).toEqual([
      expect.stringMatching(
        /^blob "keys\/default\/user:alice": the content of .* does not match its checksum\. Restore blobs\/keys from a backup$/,
      ),
      expect.stringMatching(/^the key of scope "team:gone" of tenant "default" is missing/),
      expect.stringMatching(/is not the one that wrapped .*"user:eve"/),
    ]);
    expect(await blobs.exists(blobKey('keys/default/team:gone'))).toBe(false);
  });

  it('creates no second key when the one in use is missing from the store', async () => {
    const watching = openScopeKeys({ blobs, masterKey, recheckMs: 0 });
    await watching.cipher(alice);
    await blobs.delete(ALICES_KEY);
    await expect(watching.cipher(alice)).rejects.toThrow('is missing');
  });
});
