import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generationId, position, tenantId, vectorScope } from '@palimpsest/knowledge';
import { CleanClose, fileStamps, sameStamps, type ClosedPartition } from './clean-close.ts';

describe('the mark of a clean close', () => {
  let folder: string;
  const path = () => join(folder, 'index.closed');
  const CLOSED: ClosedPartition = {
    partition: { scope: { tenant: tenantId('acme'), scope: vectorScope('team:Red') }, generation: generationId('g1') },
    position: position(2n ** 60n), figures: { dimensions: 384 },
    files: [{ name: 'journal', size: 2n ** 54n + 1n, modified: 1_790_000_000_123_456_789n }],
  };

  beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'clean-close-'))));
  afterEach(() => rm(folder, { recursive: true }));

  it('says what was left, once', async () => {
    await new CleanClose(path(), 'one').leave([CLOSED]);
    expect(await readdir(folder)).toEqual(['index.closed']);
    expect(await new CleanClose(path(), 'one').take()).toEqual([CLOSED]);
    expect(await readdir(folder)).toEqual([]);
    expect(await new CleanClose(path(), 'one').take()).toEqual([]);
  });

  it('says nothing to another format', async () => {
    await new CleanClose(path(), 'one').leave([CLOSED]);
    expect(await new CleanClose(path(), 'two').take()).toEqual([]);
  });

  it('says nothing when any of its bytes was changed, or its end is missing, and is gone all the same', async () => {
    await new CleanClose(path(), 'one').leave([CLOSED]);
    const whole = await readFile(path());
    for (let at = 0; at < whole.length; at++) {
      const changed = Buffer.from(whole);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      for (const bytes of [changed, whole.subarray(0, at)]) {
        await writeFile(path(), bytes);
        expect(await new CleanClose(path(), 'one').take()).toEqual([]);
        expect(await readdir(folder)).toEqual([]);
      }
    }
  });
});

describe('the stamps of files', () => {
  it('tell a change of size or time, a file that came and one that went', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'file-stamps-'));
    const [one, two] = [join(folder, 'one'), join(folder, 'two')];
    const stamps = () => fileStamps(folder, ['one', 'two']);
    const at = new Date(1_700_000_000_000);
    await writeFile(one, 'abc');
    await utimes(one, at, at);
    const first = stamps();
    expect(first).toEqual([{ name: 'one', size: 3n, modified: 1_700_000_000_000_000_000n }]);
    expect(sameStamps(first, stamps())).toBe(true);
    await writeFile(one, 'abcd');
    await utimes(one, at, at);
    expect(sameStamps(first, stamps())).toBe(false);
    await writeFile(one, 'abc');
    expect(sameStamps(first, stamps())).toBe(false);
    await utimes(one, at, at);
    expect(sameStamps(first, stamps())).toBe(true);
    await writeFile(two, '');
    expect(sameStamps(first, stamps())).toBe(false);
    await rm(one);
    await rm(two);
    expect(sameStamps(first, stamps())).toBe(false);
    await rm(folder, { recursive: true });
  });
});
