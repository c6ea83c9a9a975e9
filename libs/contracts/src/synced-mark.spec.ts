import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generationId, position, tenantId, vectorScope } from '@palimpsest/knowledge';
import { fileStamps, sameStamps, shortened, SyncedMark, type SyncedPartition } from './synced-mark.ts';

describe('the mark of what is on disk', () => {
  let folder: string;
  beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'synced-mark-'))));
  afterEach(() => rm(folder, { recursive: true }));

  const path = () => join(folder, 'index.synced');
  const partition = (scope: string, at = 1n): SyncedPartition => ({
    partition: { scope: { tenant: tenantId('acme'), scope: vectorScope(`team:${scope}`) }, generation: generationId('g1') },
    position: position(at), figures: { dimensions: 384 },
    files: [{ name: 'journal', size: 2n ** 54n + at, modified: 1_790_000_000_123_456_789n }],
  });
  const [RED, BLUE, LATER_RED] = [partition('Red', 2n ** 60n), partition('Blue'), partition('Red', 2n ** 61n)];
  const opened = async (format = 'one') => {
    const mark = new SyncedMark(path(), format);
    return { mark, says: await mark.open() };
  };
  const says = async () => (await opened()).says;
  const noted = async (mark: SyncedMark, ...partitions: readonly SyncedPartition[]) => {
    for (const one of partitions) mark.stage(one);
    await mark.commit();
  };

  it('says what was noted last, again and again', async () => {
    const { mark } = await opened();
    await noted(mark, RED, BLUE);
    await noted(mark, LATER_RED);
    expect(await says()).toEqual([LATER_RED, BLUE]);
    expect(await says()).toEqual([LATER_RED, BLUE]);
    const again = await opened();
    await again.mark.forget(BLUE.partition);
    await again.mark.commit();
    expect(await says()).toEqual([LATER_RED]);
    expect(await readdir(folder)).toEqual(['index.synced']);
  });

  it('says nothing of what was staged and not committed, or forgotten in between', async () => {
    const { mark } = await opened();
    mark.stage(RED);
    expect(await says()).toEqual([]);
    mark.stage(BLUE);
    const committed = mark.commit();
    await mark.forget(RED.partition);
    await committed;
    expect(await says()).toEqual([BLUE]);
  });

  it('forgets a partition that is being noted', async () => {
    const { mark } = await opened();
    await noted(mark, BLUE);
    mark.stage(RED);
    const committed = mark.commit();
    await Promise.resolve();
    await Promise.all([committed, mark.forget(RED.partition)]);
    expect(await says()).toEqual([BLUE]);
  });

  it('forgets all', async () => {
    const { mark } = await opened();
    await noted(mark, RED, BLUE);
    mark.stage(LATER_RED);
    await mark.clear();
    await mark.commit();
    expect([await says(), await readdir(folder)]).toEqual([[], []]);
    await noted(mark, BLUE);
    expect(await says()).toEqual([BLUE]);
  });

  it('does not grow with each note', async () => {
    const { mark } = await opened();
    const sizes: number[] = [];
    for (let i = 1; i <= 600; i++) {
      await noted(mark, partition('Red', BigInt(i)));
      sizes.push((await readFile(path())).length);
    }
    expect(await says()).toEqual([partition('Red', 600n)]);
    expect(Math.max(...sizes) / (sizes[0] ?? 1)).toBeLessThan(300);
    expect(sizes.filter((size, i) => size < (sizes[i - 1] ?? 0))).toHaveLength(2);
  });

  it('keeps what could not be noted for the next time', async () => {
    const { mark } = await opened();
    await noted(mark, BLUE);
    await rm(path());
    await mkdir(path());
    mark.stage(RED);
    await expect(mark.commit()).rejects.toThrow('EISDIR');
    await expect(mark.forget(BLUE.partition)).rejects.toThrow('EISDIR');
    await rm(path(), { recursive: true });
    await mark.commit();
    expect(new Set(await says())).toEqual(new Set([BLUE, RED]));
    await mark.forget(BLUE.partition);
    expect(await says()).toEqual([RED]);
  });

  it('says nothing to another format', async () => {
    await noted((await opened()).mark, RED);
    expect((await opened('two')).says).toEqual([]);
  });

  it('says what it said before when its end is missing, and goes on from there', async () => {
    const { mark } = await opened();
    await noted(mark, RED);
    const before = await readFile(path());
    await noted(mark, BLUE, LATER_RED);
    const whole = await readFile(path());
    for (let length = before.length; length < whole.length; length++) {
      await writeFile(path(), whole.subarray(0, length));
      const cut = await opened();
      expect([[RED], [RED, BLUE]]).toContainEqual(cut.says);
      await noted(cut.mark, LATER_RED);
      expect(await says()).toEqual([LATER_RED, ...cut.says.slice(1)]);
    }
  });

  it('never says what was not noted, whichever of its bytes was changed', async () => {
    const { mark } = await opened();
    await noted(mark, RED);
    await noted(mark, BLUE);
    await noted(mark, LATER_RED);
    const whole = await readFile(path());
    for (let at = 0; at < whole.length; at++) {
      const changed = Buffer.from(whole);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      await writeFile(path(), changed);
      expect([[], [RED], [RED, BLUE], [LATER_RED, BLUE]]).toContainEqual(await says());
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

  it('tell which file is gone or shorter', () => {
    const stamp = (name: string, size: bigint) => ({ name, size, modified: 1n });
    const before = [stamp('base', 10n), stamp('journal', 20n)];
    expect(shortened(before, before, 0)).toBeUndefined();
    expect(shortened(before, [stamp('base', 11n), stamp('journal', 17n)], 3)).toBeUndefined();
    expect(shortened(before, [stamp('base', 11n), stamp('journal', 16n)], 3)).toBe('journal');
    expect(shortened(before, [stamp('journal', 20n)], 3)).toBe('base');
  });
});
