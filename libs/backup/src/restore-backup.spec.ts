import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { COSTS, FolderUnderTest, removed, temporaryFolder } from '../test/a-folder.ts';
import { backUp } from './back-up.ts';
import { checkBackup } from './check-backup.ts';
import { restoreBackup } from './restore-backup.ts';
import { SealedWriter } from './sealed/sealed-writer.ts';
import { passphrase } from './sealed/secret.ts';
import { PartialFile } from './partial-file.ts';
import { encodeStreams, frame } from './archive/records.ts';

const SECRET = passphrase('correct horse battery');

describe('restoring', () => {
  let root: string;
  let valid: Buffer;
  const at = (name: string): string => join(root, name);

  beforeAll(async () => {
    root = await temporaryFolder();
    const folder = await FolderUnderTest.open(at('data'));
    for (const name of ['a', 'b', 'c']) await folder.submit(name, { size: 300_000 });
    await writeFile(folder.layout.localKey, 'pal_key\n');
    await folder.close();
    await backUp({ data: at('data'), target: at('valid.backup'), secret: SECRET, by: 'test', costs: COSTS });
    valid = await readFile(at('valid.backup'));
    await removed(at('data'));
  });
  afterAll(() => removed(root));
  afterEach(() => removed(at('restored')));

  /** Expects a one-line refusal of restore and check, without new files. */
  const refused = async (bytes: Uint8Array, message: RegExp): Promise<void> => {
    await writeFile(at('wrong.backup'), bytes);
    const restoring = restoreBackup({ file: at('wrong.backup'), data: at('restored'), secret: SECRET });
    await expect(restoring).rejects.toThrow(message);
    await expect(restoring).rejects.not.toThrow(/\n/);
    await expect(checkBackup(at('wrong.backup'), SECRET)).rejects.toThrow(message);
    expect((await readdir(root)).sort()).toEqual(['valid.backup', 'wrong.backup']);
  };
  const changed = (change: (bytes: Buffer) => void): Buffer => {
    const bytes = Buffer.from(valid);
    change(bytes);
    return bytes;
  };

  it('restores log, uploads and keys, and nothing else', async () => {
    const manifest = await restoreBackup({ file: at('valid.backup'), data: at('restored'), secret: SECRET });
    expect(manifest.position).toBe(9);
    expect((await readdir(at('restored'))).sort()).toEqual(['blobs', 'keys', 'log']);
    expect(await readdir(at('restored/log'))).toEqual(['events.db']);
    expect((await readdir(at('restored/keys'))).sort()).toEqual(['local-api-key', 'master.key']);
  });

  it('accepts an empty folder and refuses one with content', async () => {
    await mkdir(at('restored'));
    await restoreBackup({ file: at('valid.backup'), data: at('restored'), secret: SECRET });
    const before = await readFile(at('restored/log/events.db'));
    await expect(restoreBackup({ file: at('valid.backup'), data: at('restored'), secret: SECRET })).rejects.toThrow(
      /data: .*an empty folder, or one that does not exist/,
    );
    await expect(restoreBackup({ file: at('valid.backup'), data: at('valid.backup'), secret: SECRET })).rejects.toThrow(
      /data: .*an empty folder/,
    );
    expect((await readFile(at('restored/log/events.db'))).equals(before)).toBe(true);
  });

  it('refuses a file with any changed byte', async () => {
    const everywhere = Array.from({ length: 24 }, (_, i) => Math.floor((i * (valid.length - 1)) / 23));
    for (const place of everywhere)
      await refused(
        changed((bytes) => (bytes[place] = (bytes[place] ?? 0) ^ 1)),
        /damaged|not a sealed file|truncated/,
      );
  });

  it('refuses a truncated and an empty file', async () => {
    for (const length of [1, 50, 84, 85, 300_000, valid.length - 17, valid.length - 1])
      await refused(valid.subarray(0, length), /truncated|not a sealed file/);
    await refused(Buffer.alloc(0), /empty/);
  });

  it('refuses a file with reordered parts', async () => {
    const part = 256 * 1024 + 16;
    const [head, one, two, rest] = [
      valid.subarray(0, 84),
      valid.subarray(84, 84 + part),
      valid.subarray(84 + part, 84 + 2 * part),
      valid.subarray(84 + 2 * part),
    ];
    expect(rest.length).toBeGreaterThan(0);
    await refused(Buffer.concat([head, two, one, rest]), /not in the right order/);
    await refused(Buffer.concat([head, one, rest]), /truncated|damaged/);
  });

  it('refuses a wrong secret', async () => {
    await expect(
      restoreBackup({ file: at('valid.backup'), data: at('restored'), secret: passphrase('another passphrase') }),
    ).rejects.toThrow(/not the one that sealed the file/);
    await expect(restoreBackup({ file: at('none.backup'), data: at('restored'), secret: SECRET })).rejects.toThrow(
      /cannot read .*none.backup: file or folder not found/,
    );
    expect(await readdir(root)).not.toContain('restored');
  });

  it('refuses a correctly sealed file that is no backup', async () => {
    const head = Buffer.from(JSON.stringify({ format: 1, createdAt: '2026-01-01T00:00:00Z', by: 'test', position: 3 }));
    const sealed = async (...records: readonly Buffer[]): Promise<Buffer> => {
      const parts: Uint8Array[] = [];
      const writer = await SealedWriter.begin({ write: async (bytes) => void parts.push(bytes) }, 'backup', SECRET, COSTS);
      for (const record of records) await writer.add(record);
      await writer.finish();
      return Buffer.concat(parts);
    };
    const streams = encodeStreams([{ name: 's', lastRevision: 0, maxAgeMs: null }]);
    const newer = Buffer.from(JSON.stringify({ format: 3 }));
    await refused(await sealed(), /ends in the middle/);
    await refused(await sealed(frame('streams', streams.length), streams), /does not start/);
    await refused(await sealed(frame('head', head.length), head, frame('streams', streams.length), streams), /ends in the middle/);
    await refused(await sealed(frame('head', newer.length), newer), /format 3, written by a newer Palimpsest/);
    const manifest = Buffer.from(
      JSON.stringify({
        ...JSON.parse(head.toString()),
        missing: { count: 0, first: [] },
        parts: Object.fromEntries(
          ['streams', 'events', 'blobs', 'files'].map((part) => [part, { items: 1, bytes: 1, sha256: '0'.repeat(64) }]),
        ),
      }),
    );
    await refused(await sealed(frame('head', head.length), head, frame('manifest', manifest.length), manifest), /differ from its manifest/);
  });

  it('removes the leftovers of a killed process, but not the files of a running one', async () => {
    await mkdir(at('.restored.999999999.partial'));
    await mkdir(at(`.restored.${process.ppid}.partial`));
    await restoreBackup({ file: at('valid.backup'), data: at('restored'), secret: SECRET });
    const left = await readdir(root);
    expect(left).not.toContain('.restored.999999999.partial');
    expect(left).toContain(`.restored.${process.ppid}.partial`);
    await removed(at(`.restored.${process.ppid}.partial`));
  });

  it('does not overwrite a file that appears in the meantime', async () => {
    const file = await PartialFile.create(at('late.backup'));
    await file.write(Buffer.from('mine'));
    await writeFile(at('late.backup'), 'theirs');
    await expect(file.commit()).rejects.toThrow(/a file that does not exist yet/);
    await file.close();
    expect((await readFile(at('late.backup'))).toString()).toBe('theirs');
    await removed(at('late.backup'));
  });
});
