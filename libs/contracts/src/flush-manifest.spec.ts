import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generationId, position, tenantId, vectorScope } from '@palimpsest/knowledge/values';
import { FlushManifest, type FlushedPartition } from './flush-manifest.ts';

describe('the flush manifest', () => {
  let folder: string;
  beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'synced-manifest-'))));
  afterEach(() => rm(folder, { recursive: true }));

  const path = () => join(folder, 'index.synced');
  const partition = (scope: string, at = 1n): FlushedPartition => ({
    partition: { scope: { tenant: tenantId('acme'), scope: vectorScope(`team:${scope}`) }, generation: generationId('g1') },
    position: position(at),
    figures: { dimensions: 384 },
    files: [{ name: 'journal', size: 2n ** 54n + at, modified: 1_790_000_000_123_456_789n }],
  });
  const [RED, BLUE, LATER_RED] = [partition('Red', 2n ** 60n), partition('Blue'), partition('Red', 2n ** 61n)];
  const opened = async (format = 'one') => {
    const manifest = new FlushManifest(path(), format);
    return { manifest, recorded: await manifest.open() };
  };
  const stored = async () => (await opened()).recorded;
  const record = async (manifest: FlushManifest, ...partitions: readonly FlushedPartition[]) => {
    for (const one of partitions) manifest.stage(one);
    await manifest.commit();
  };

  it('returns the last recorded state, repeatedly', async () => {
    const { manifest } = await opened();
    await record(manifest, RED, BLUE);
    await record(manifest, LATER_RED);
    expect(await stored()).toEqual([LATER_RED, BLUE]);
    expect(await stored()).toEqual([LATER_RED, BLUE]);
    const again = await opened();
    await again.manifest.forget(BLUE.partition);
    await again.manifest.commit();
    expect(await stored()).toEqual([LATER_RED]);
    expect(await readdir(folder)).toEqual(['index.synced']);
  });

  it('does not return partitions that were staged and not committed, or removed in between', async () => {
    const { manifest } = await opened();
    manifest.stage(RED);
    expect(await stored()).toEqual([]);
    manifest.stage(BLUE);
    const committed = manifest.commit();
    await manifest.forget(RED.partition);
    await committed;
    expect(await stored()).toEqual([BLUE]);
  });

  it('removes a partition that is being recorded', async () => {
    const { manifest } = await opened();
    await record(manifest, BLUE);
    manifest.stage(RED);
    const committed = manifest.commit();
    await Promise.resolve();
    await Promise.all([committed, manifest.forget(RED.partition)]);
    expect(await stored()).toEqual([BLUE]);
  });

  it('removes all partitions', async () => {
    const { manifest } = await opened();
    await record(manifest, RED, BLUE);
    manifest.stage(LATER_RED);
    await manifest.clear();
    await manifest.commit();
    expect([await stored(), await readdir(folder)]).toEqual([[], []]);
    await record(manifest, BLUE);
    expect(await stored()).toEqual([BLUE]);
  });

  it('does not grow with each entry', async () => {
    const { manifest } = await opened();
    const sizes: number[] = [];
    for (let i = 1; i <= 600; i++) {
      await record(manifest, partition('Red', BigInt(i)));
      sizes.push((await readFile(path())).length);
    }
    expect(await stored()).toEqual([partition('Red', 600n)]);
    expect(Math.max(...sizes) / (sizes[0] ?? 1)).toBeLessThan(300);
    expect(sizes.filter((size, i) => size < (sizes[i - 1] ?? 0))).toHaveLength(2);
  });

  it('keeps entries that could not be written for the next commit', async () => {
    const { manifest } = await opened();
    await record(manifest, BLUE);
    await rm(path());
    await mkdir(path());
    manifest.stage(RED);
    await expect(manifest.commit()).rejects.toThrow('EISDIR');
    await expect(manifest.forget(BLUE.partition)).rejects.toThrow('EISDIR');
    await rm(path(), { recursive: true });
    await manifest.commit();
    expect(new Set(await stored())).toEqual(new Set([BLUE, RED]));
    await manifest.forget(BLUE.partition);
    expect(await stored()).toEqual([RED]);
  });

  it('returns nothing if its first line is repeated', async () => {
    const { manifest } = await opened();
    await record(manifest, RED, BLUE);
    const [first = '', ...rest] = (await readFile(path(), 'utf8')).split('\n');
    for (const lines of [
      [first, first, ...rest],
      [first, ...rest.slice(0, -1), first, ''],
    ]) {
      await writeFile(path(), lines.join('\n'));
      expect(await stored()).toEqual([]);
    }
  });

  it('returns nothing for another format', async () => {
    await record((await opened()).manifest, RED);
    expect((await opened('two')).recorded).toEqual([]);
  });

  it('returns the previous state if its end is missing, and continues from there', async () => {
    const { manifest } = await opened();
    await record(manifest, RED);
    const before = await readFile(path());
    await record(manifest, BLUE, LATER_RED);
    const whole = await readFile(path());
    for (let length = before.length; length < whole.length; length++) {
      await writeFile(path(), whole.subarray(0, length));
      const torn = await opened();
      expect([[RED], [RED, BLUE]]).toContainEqual(torn.recorded);
      await record(torn.manifest, LATER_RED);
      expect(await stored()).toEqual([LATER_RED, ...torn.recorded.slice(1)]);
    }
  });

  it('never returns entries that were not recorded, whichever byte was changed', async () => {
    const { manifest } = await opened();
    await record(manifest, RED);
    await record(manifest, BLUE);
    await record(manifest, LATER_RED);
    const whole = await readFile(path());
    for (let at = 0; at < whole.length; at++) {
      const changed = Buffer.from(whole);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      await writeFile(path(), changed);
      expect([[], [RED], [RED, BLUE], [LATER_RED, BLUE]]).toContainEqual(await stored());
    }
  });
});
