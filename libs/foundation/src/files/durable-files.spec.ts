import { mkdir, mkdtemp, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { replaceFile, syncFile, writeFully, writeSynced } from './durable-files.ts';

describe('Durable files', () => {
  let folder: string;
  beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'durable-files-'))));
  afterEach(() => rm(folder, { recursive: true }));

  const text = (content: string): Uint8Array => Buffer.from(content);
  const path = () => join(folder, 'file');

  it('contain the pieces in order, also when they are appended', async () => {
    await writeSynced(path(), [text('one '), text(''), text('two ')]);
    await writeSynced(path(), [text('three')], 'a');
    await syncFile(path());
    expect(await readFile(path(), 'utf8')).toBe('one two three');
  });

  it('are not overwritten if they must be new, and have the mode that was requested', async () => {
    await writeSynced(path(), [text('secret')], 'wx', 0o600);
    await expect(writeSynced(path(), [text('other')], 'wx')).rejects.toThrow('EEXIST');
    expect([await readFile(path(), 'utf8'), (await stat(path())).mode & 0o077]).toEqual([
      'secret',
      process.platform === 'win32' ? 0o066 : 0,
    ]);
  });

  it('are replaced as a whole, and no draft stays', async () => {
    await writeFile(path(), 'a long old content');
    await replaceFile(path(), [text('new')]);
    expect([await readFile(path(), 'utf8'), await readdir(folder)]).toEqual(['new', ['file']]);
  });

  it('keep their content when the replacement cannot be written', async () => {
    await writeFile(path(), 'old');
    await mkdir(`${path()}.tmp`);
    await expect(replaceFile(path(), [text('new')])).rejects.toThrow('EISDIR');
    expect(await readFile(path(), 'utf8')).toBe('old');
  });

  it('are written completely when the system writes a few bytes at a time', async () => {
    const file = await open(path(), 'w');
    const write = file.write.bind(file);
    const calls: number[] = [];
    const few = Object.create(file, {
      write: {
        value: (bytes: Uint8Array, offset: number, length: number, position: number | null) => (
          calls.push(length),
          write(bytes, offset, Math.min(length, 3), position)
        ),
      },
    }) as typeof file;
    await writeFully(few, text('0123456789'));
    await writeFully(few, text('abcd'), 2);
    await file.close();
    expect([await readFile(path(), 'utf8'), calls]).toEqual(['01abcd6789', [10, 7, 4, 1, 4, 1]]);
  });
});
