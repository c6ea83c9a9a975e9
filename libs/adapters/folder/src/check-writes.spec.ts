import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Unavailable } from '@palimpsest/knowledge/errors';
import { checkWrites } from './check-writes.ts';

describe('checkWrites', () => {
  let folder: string;
  beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'palimpsest-writes-'))));
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('leaves nothing behind when writing works', async () => {
    await checkWrites(folder);
    expect(await readdir(folder)).toEqual([]);
  });

  it('reports why writing does not work', async () => {
    await expect(checkWrites(join(folder, 'gone'))).rejects.toThrow(Unavailable);
    await expect(checkWrites(join(folder, 'gone'))).rejects.toThrow('ENOENT');
  });
});
