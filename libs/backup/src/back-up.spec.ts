import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { pause } from '@palimpsest/foundation';
import { COSTS, event, FolderUnderTest, removed, SCOPE, temporaryFolder, type Document } from '../test/a-folder.ts';
import { streamName } from '@palimpsest/knowledge/ports';
import { backUp, type BackupOptions } from './back-up.ts';
import { checkBackup } from './check-backup.ts';
import { restoreBackup } from './restore-backup.ts';
import { keyFrom, passphrase } from './sealed/secret.ts';

const SECRET = passphrase('correct horse battery');

describe('a backup', () => {
  let root: string;
  let folder: FolderUnderTest;
  const at = (name: string): string => join(root, name);
  const backup = (over: Partial<BackupOptions> = {}) =>
    backUp({ data: at('data'), target: at('b.backup'), secret: SECRET, by: 'test', costs: COSTS, ...over });
  /** Restores the backup and opens the folder, as the next start would. */
  const restored = async (file = at('b.backup')): Promise<FolderUnderTest> => {
    await removed(at('restored'));
    await restoreBackup({ file, data: at('restored'), secret: SECRET });
    return FolderUnderTest.open(at('restored'));
  };
  const otherFiles = async (): Promise<readonly string[]> => (await readdir(root)).filter((name) => name !== 'data').sort();

  beforeEach(async () => {
    root = await temporaryFolder();
    folder = await FolderUnderTest.open(at('data'));
  });
  afterEach(async () => {
    await folder.close();
    await removed(root);
  });

  it('restores the same events, uploads and keys, at the same positions and times', async () => {
    const documents = [await folder.submit('a'), await folder.submit('b', { size: 700_000 })];
    await folder.submit('a', { version: 2, expected: 2 });
    await folder.log.setRetention(streamName('trace', 'acme'), 3600);
    const { manifest, bytes } = await backup();
    expect((await stat(at('b.backup'))).size).toBe(bytes);
    expect((await stat(at('b.backup'))).mode & 0o777).toBe(0o600);
    const copy = await restored();
    try {
      expect(await copy.events()).toEqual(await folder.events());
      for (const document of documents) expect((await copy.uploadOf(document)).equals(document.bytes)).toBe(true);
      expect(manifest).toMatchObject({
        position: 9,
        parts: { events: { items: 9 }, blobs: { items: 4 }, files: { items: 1 } },
        missing: { count: 0 },
      });
      // Continues like the original: with the next position and the next revision.
      const next = await copy.log.append(documents[0]?.stream as never, [event('More', {})], 5);
      expect(next).toMatchObject({ outcome: 'appended', position: 10n, revision: 6 });
      expect(await copy.log.append(documents[1]?.stream as never, [event('More', {})], 'no-stream')).toEqual({
        outcome: 'conflict',
        actual: 2,
      });
    } finally {
      await copy.close();
    }
  });

  it('restores a truncated log as it is: it is intact, and no event below the cut comes back', async () => {
    const document = await folder.submit('a');
    await folder.submit('a', { version: 2, expected: 2 });
    await folder.log.truncate(document.stream, 3);
    const { manifest } = await backup();
    expect(manifest).toMatchObject({ format: 2, parts: { events: { items: 3 }, truncations: { items: 1 } } });
    const copy = await restored();
    try {
      expect(await copy.events()).toEqual(await folder.events());
      expect(await copy.log.check?.()).toEqual([]);
      expect(await copy.log.append(document.stream, [event('More', {})], 5)).toMatchObject({ revision: 6, position: 7n });
      await copy.log.truncate(document.stream, 1);
      expect((await copy.events()).map(({ revision }) => revision)).toEqual([3, 4, 5, 6]);
    } finally {
      await copy.close();
    }
  });

  it('has a digest that depends on the events only', async () => {
    await folder.submit('a');
    const [one, other] = [await backup(), await backup({ target: at('c.backup'), secret: keyFrom('0f'.repeat(32)) })];
    expect(one.manifest.parts.events.sha256).toBe(other.manifest.parts.events.sha256);
    await folder.submit('b');
    expect((await backup({ target: at('d.backup') })).manifest.parts.events.sha256).not.toBe(one.manifest.parts.events.sha256);
  });

  it(
    'contains, under concurrent writes, a prefix of the log with everything that was acknowledged before it started',
    () =>
      fc.assert(
        fc.asyncProperty(fc.integer({ min: 2, max: 6 }), fc.integer({ min: 1, max: 12 }), async (writers, before) => {
          const name = `w${Math.random().toString(36).slice(2)}`;
          const acknowledged: Document[] = [];
          let [stop, submitted] = [false, 0];
          const write = async (writer: number): Promise<void> => {
            while (!stop) {
              const document = await folder.submit(`${name}-${writer}-${(submitted += 1)}`, { size: 3_000 });
              acknowledged.push(document);
            }
          };
          const writing = Array.from({ length: writers }, (_, writer) => write(writer));
          while (acknowledged.length < before) await pause(1);
          const must = [...acknowledged];
          const { manifest } = await backup({ target: at(`${name}.backup`) }).finally(() => (stop = true));
          await Promise.all(writing);
          const original = await folder.events();
          const copy = await restored(at(`${name}.backup`));
          try {
            const events = await copy.events();
            expect(events).toEqual(original.slice(0, events.length));
            expect(events.at(-1)?.position).toBe(BigInt(manifest.position));
            const restoredStreams = new Set(events.map(({ stream }) => stream));
            expect(must.filter(({ stream }) => !restoredStreams.has(stream))).toEqual([]);
            for (const document of acknowledged.filter(({ stream }) => restoredStreams.has(stream)))
              expect((await copy.uploadOf(document)).equals(document.bytes)).toBe(true);
          } finally {
            await copy.close();
          }
        }),
        { numRuns: 6 },
      ),
    120_000,
  );

  it('contains each upload once, even if the same bytes were submitted again', async () => {
    const { stream, blob } = await folder.submit('a');
    await folder.log.append(stream, [event('DocumentSubmitted', { blob, version: 2, name: 'a' })], 2);
    expect((await backup()).manifest.parts.blobs.items).toBe(2); // the upload, and the key of its scope
  });

  it('lists the uploads that the platform has lost, and restores the others', async () => {
    const [lost, damaged, kept] = [await folder.submit('lost'), await folder.submit('damaged'), await folder.submit('kept')];
    const pathOf = ({ blob }: Document) => join(folder.layout.blobs, `${blob}~bin`);
    await rm(pathOf(lost));
    await writeFile(pathOf(damaged), 'something else');
    expect((await backup()).manifest.missing).toEqual({ count: 2, first: [lost.blob, damaged.blob] });
    const copy = await restored();
    expect((await copy.uploadOf(kept)).equals(kept.bytes)).toBe(true);
    await copy.close();
  });

  it('keeps a destroyed key destroyed', async () => {
    const document = await folder.submit('a');
    await folder.keys.destroy(SCOPE);
    await backup();
    const copy = await restored();
    await expect(copy.uploadOf(document)).rejects.toThrow(/destroyed/);
    await copy.close();
  });

  it('is refused for a damaged event, and leaves no file', async () => {
    await folder.submit('a');
    await folder.close();
    const { DatabaseSync } = await import('node:sqlite');
    const database = new DatabaseSync(folder.layout.log);
    database.exec(`UPDATE events SET data = '{"text":"forged"}' WHERE position = 2`);
    database.close();
    await expect(backup()).rejects.toThrow('the event at position 2 is damaged');
    expect(await otherFiles()).toEqual([]);
    folder = await FolderUnderTest.open(at('data'));
  });

  it('is named after the time in a folder, and never overwrites another file', async () => {
    await folder.submit('a');
    const now = () => new Date('2026-01-02T03:04:05.678Z');
    await mkdir(at('backups'));
    expect((await backup({ target: at('backups'), now })).file).toBe(at('backups/palimpsest-2026-01-02T03-04-05Z.backup'));
    expect((await backup({ target: `${at('new')}/`, now })).file).toBe(at('new/palimpsest-2026-01-02T03-04-05Z.backup'));
    await expect(backup({ target: at('backups'), now })).rejects.toThrow(/a file that does not exist yet/);
    await expect(backup({ target: at('none/b.backup') })).rejects.toThrow(/a path in an existing folder/);
    expect(await readdir(at('backups'))).toHaveLength(1);
  });

  it('requires the data folder of a platform', async () => {
    await expect(backup({ data: at('none') })).rejects.toThrow(/data folder: .*the data folder of a platform/);
    await rm(folder.layout.masterKey);
    await expect(backup()).rejects.toThrow(/without it, the backup could not be decrypted/);
    expect(await otherFiles()).toEqual([]);
  });

  it('leaves no file when any of its writes fails', async () => {
    await folder.submit('a', { size: 900_000 });
    for (let failing = 1; failing <= 5; failing += 1) {
      let writes = 0;
      const full = backup({
        sink: (file) => ({
          write: async (bytes) => {
            if ((writes += 1) === failing) throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
            await file.write(bytes);
          },
        }),
      });
      await expect(full).rejects.toThrow(`cannot write ${at('b.backup')}: the disk is full`);
      expect(await otherFiles()).toEqual([]);
    }
  });

  it('is read back before it gets its name, which detects a disk that stores wrong bytes', async () => {
    await folder.submit('a', { size: 600_000 });
    let writes = 0;
    const corrupted = backup({
      sink: (file) => ({
        write: async (bytes) => {
          writes += 1;
          await file.write(writes === 3 ? Uint8Array.from(bytes, (byte, i) => (i === 100 ? byte ^ 1 : byte)) : bytes);
        },
      }),
    });
    await expect(corrupted).rejects.toThrow(/damaged/);
    expect(await otherFiles()).toEqual([]);
  });

  it('stops on request, and leaves no file', async () => {
    await folder.submit('a');
    const stop = new AbortController();
    await expect(
      backup({ signal: stop.signal, onProgress: ({ phase }) => phase === 'checking' && stop.abort(new Error('enough')) }),
    ).rejects.toThrow('enough');
    expect(await otherFiles()).toEqual([]);
  });

  it('can be checked without being restored', async () => {
    await folder.submit('a');
    const { manifest } = await backup();
    expect(await checkBackup(at('b.backup'), SECRET)).toEqual(manifest);
    await expect(checkBackup(at('none'), SECRET)).rejects.toThrow(/file or folder not found/);
    expect(await otherFiles()).toEqual(['b.backup']);
  });
});
