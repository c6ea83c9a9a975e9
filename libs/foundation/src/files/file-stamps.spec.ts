import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileStamps, sameStamps, shortened } from './file-stamps.ts';

describe('the stamps of files', () => {
  it('detect a changed size or time, a new file and a missing one', async () => {
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

  it('show which file is missing or shorter', () => {
    const stamp = (name: string, size: bigint) => ({ name, size, modified: 1n });
    const before = [stamp('base', 10n), stamp('journal', 20n)];
    expect(shortened(before, before, 0)).toBeUndefined();
    expect(shortened(before, [stamp('base', 11n), stamp('journal', 17n)], 3)).toBeUndefined();
    expect(shortened(before, [stamp('base', 11n), stamp('journal', 16n)], 3)).toBe('journal');
    expect(shortened(before, [stamp('journal', 20n)], 3)).toBe('base');
  });
});
