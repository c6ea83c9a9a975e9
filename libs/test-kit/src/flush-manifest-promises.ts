import { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Unavailable } from '@palimpsest/knowledge/errors';
import type { ScopeKeys } from '@palimpsest/knowledge/ports';
import { partitionKey, type IndexPartition, type IndexStore } from '@palimpsest/knowledge/read-models';
import { START } from '@palimpsest/knowledge/values';

/**
 * `folder`: the folder to open; by default a new, empty one. `transparent`: nothing is sealed. `keys`: of all folders. `reported`: partitions
 * reported as damaged after opening.
 */
export type OpenIndexFolder<Index extends IndexStore> = (
  folder?: string,
  options?: Readonly<{ transparent?: boolean }>,
) => Promise<Readonly<{ index: Index; folder: string; keys: ScopeKeys; reported: readonly IndexPartition[]; dispose(): Promise<void> }>>;

export type FlushManifestFixture<Index> = Readonly<{
  partition: IndexPartition;
  /** Fills an empty partition with some calls. */
  fill: (index: Index) => Promise<unknown>;
  /** One more call. */
  more: (index: Index) => Promise<unknown>;
  stateOf: (index: Index) => Promise<unknown>;
  /** Reads, in the background, what was not read at opening. */
  check: (index: Index) => Promise<void>;
}>;

/** File systems keep nanoseconds that `utimes` cannot restore: with whole seconds, a change is not visible in the times. */
const WHOLE_SECOND = new Date(1_700_000_000_000);

const filesIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
const isManifest = (path: string): boolean => path.endsWith('.synced');

type Content = ReadonlyMap<string, Buffer>;
const contentOf = async (folder: string): Promise<Content> =>
  new Map(await Promise.all((await filesIn(folder)).map(async (path) => [path, await readFile(path)] as const)));

/** Restores a folder, including file times. */
const restore = async (folder: string, content: Content): Promise<void> => {
  await rm(folder, { recursive: true, force: true });
  for (const [path, bytes] of content) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, bytes);
    await utimes(path, WHOLE_SECOND, WHOLE_SECOND);
  }
};

const flip = async (path: string, at: number): Promise<void> => {
  const bytes = await readFile(path);
  bytes.writeUInt8(bytes.readUInt8(at) ^ 0x20, at);
  await writeFile(path, bytes);
};

/** The contract of the flush manifest, in which an index records which of its files are on disk completely. */
export const describeFlushManifest = <Index extends IndexStore>(
  name: string,
  open: OpenIndexFolder<Index>,
  { partition, fill, more, stateOf, check }: FlushManifestFixture<Index>,
): void =>
  describe(`${name}, with its flush manifest,`, () => {
    /** Fills and closes an index whose file times are whole seconds. Returns its state and its files. */
    const closedIndex = async () => {
      const first = await open();
      await fill(first.index);
      const state = await stateOf(first.index);
      await first.index.close();
      const { folder } = first;
      for (const path of await filesIn(folder)) await utimes(path, WHOLE_SECOND, WHOLE_SECOND);
      await (await open(folder)).index.close();
      return { folder, state, content: await contentOf(folder), dispose: () => first.dispose() };
    };

    it('relies on it after a kill: flushed files are not read before use, and their damage is found then', async () => {
      const { index, folder, dispose } = await open();
      await fill(index);
      await index.flush();
      const state = await stateOf(index);
      // The files after a kill, with times that do not reveal changes.
      for (const path of await filesIn(folder)) if (!isManifest(path)) await utimes(path, WHOLE_SECOND, WHOLE_SECOND);
      const killed = await open(folder);
      await killed.index.flush();
      const content = await contentOf(folder);
      await killed.index.close();
      await restore(folder, content);
      const again = await open(folder);
      expect([again.index.damaged(), await stateOf(again.index)]).toEqual([[], state]);
      await again.index.close();
      let unread = 0;
      for (const [path, bytes] of [...content].filter(([file]) => !isManifest(file))) {
        await restore(folder, content);
        await flip(path, bytes.length >> 1);
        await utimes(path, WHOLE_SECOND, WHOLE_SECOND);
        const under = await open(folder);
        if (under.index.damaged().length === 0) unread++;
        await check(under.index);
        expect(under.reported.length + under.index.damaged().length).toBeGreaterThan(0);
        await under.index.close();
      }
      expect(unread).toBeGreaterThan(0);
      await dispose();
    });

    it('treats a missing end of flushed data as damage after a kill; later data may be missing', async () => {
      const { index, folder, dispose } = await open();
      await fill(index);
      const flushed = await stateOf(index);
      await index.flush();
      const before = await contentOf(folder);
      await more(index);
      const after = await stateOf(index);
      const content = await contentOf(folder);
      let noticed = 0;
      for (const [path, bytes] of [...content].filter(([file]) => !isManifest(file)))
        for (let kept = bytes.length - 1; kept >= 0; kept -= 13) {
          await restore(folder, content);
          await writeFile(path, bytes.subarray(0, kept));
          const { index: truncated } = await open(folder);
          if (truncated.damaged().length > 0) {
            noticed++;
            // Data after the flush may be missing, as after a crash.
            expect(kept).toBeLessThan(before.get(path)?.length ?? 0);
          } else expect([flushed, after]).toContainEqual(await stateOf(truncated));
          await truncated.close();
        }
      expect(noticed).toBeGreaterThan(10);
      await index.close().catch(() => undefined);
      await dispose();
    });

    it('removes dropped files from the manifest first: after a new start and a kill there is no damage', async () => {
      const { folder, content, state, dispose } = await closedIndex();
      for (const drop of [(index: Index) => index.drop(partition), (index: Index) => index.dropAll()]) {
        await restore(folder, content);
        const { index } = await open(folder);
        await drop(index);
        await more(index);
        const left = await contentOf(folder);
        const then = await stateOf(index);
        expect(then).not.toEqual(state);
        await index.close();
        await restore(folder, left);
        const { index: killed } = await open(folder);
        expect([killed.damaged(), await stateOf(killed)]).toEqual([[], then]);
        await killed.close();
      }
      await dispose();
    });

    it('returns the same results and accepts the same calls as without it', async () => {
      const { folder, state, content, dispose } = await closedIndex();
      const seen: unknown[] = [];
      for (const kept of [content, new Map([...content].filter(([path]) => !isManifest(path)))])
        for (const first of [more, stateOf]) {
          await restore(folder, kept);
          const { index } = await open(folder);
          const before = [index.damaged(), await index.position(partition), await index.partitions()];
          const answer = first === stateOf ? await stateOf(index) : state;
          await more(index);
          seen.push({ before, answer, after: await stateOf(index) });
          await index.close();
        }
      for (const one of seen) expect(one).toEqual(seen[0]);
      expect(seen[0]).toMatchObject({ answer: state });
      await dispose();
    });

    it('returns the same results after it was opened and closed without use', async () => {
      const { folder, state, dispose } = await closedIndex();
      await (await open(folder)).index.close();
      const { index } = await open(folder);
      expect(await stateOf(index)).toEqual(state);
      await index.close();
      await dispose();
    });

    it('reads a file whose size or time has changed: damage is known after opening', async () => {
      const { folder, content, dispose } = await closedIndex();
      for (const [path] of [...content].filter(([file]) => !isManifest(file))) {
        await restore(folder, content);
        await flip(path, 0);
        const { index, reported } = await open(folder);
        expect(index.damaged().map((one) => partitionKey(one.partition))).toEqual([partitionKey(partition)]);
        expect([await index.position(partition), await index.partitions(), reported]).toEqual([START, [], []]);
        await index.close();
      }
      await dispose();
    });

    it('treats a truncated file as damage: a crash cannot have caused it', async () => {
      const { folder, state, content, dispose } = await closedIndex();
      let noticed = 0;
      for (const [path, bytes] of [...content].filter(([file]) => !isManifest(file)))
        for (let kept = bytes.length - 1; kept >= 0; kept -= 23) {
          await restore(folder, content);
          await writeFile(path, bytes.subarray(0, kept));
          await utimes(path, WHOLE_SECOND, WHOLE_SECOND);
          const { index } = await open(folder);
          if (index.damaged().length === 0) expect(await stateOf(index)).toEqual(state);
          else noticed++;
          await index.close();
        }
      expect(noticed).toBeGreaterThan(10);
      await dispose();
    });

    it('never returns partial results when a byte has changed but not the times: it throws and reports damage', async () => {
      const { folder, state, content, dispose } = await closedIndex();
      let refused = 0;
      for (const [path, { length }] of [...content].filter(([file]) => !isManifest(file)))
        for (let at = 0; at < length; at += 11) {
          await restore(folder, content);
          await flip(path, at);
          await utimes(path, WHOLE_SECOND, WHOLE_SECOND);
          const { index, reported } = await open(folder);
          const answer = await stateOf(index).catch((error: unknown) => error);
          if (answer instanceof Error) {
            refused++;
            expect(answer).toBeInstanceOf(Unavailable);
            expect(reported).toEqual([partition]);
            await expect(stateOf(index)).rejects.toThrow(Unavailable);
            await expect(more(index)).rejects.toThrow(Unavailable);
            expect([await index.position(partition), await index.partitions(), reported]).toEqual([START, [], [partition]]);
          } else expect(answer).toEqual(state);
          await index.close();
        }
      expect(refused).toBeGreaterThan(10);
      await dispose();
    });

    it('finds such a byte in the background and at the first call, again after reopening, and can be rebuilt after a drop', async () => {
      const { folder, state, content, dispose } = await closedIndex();
      for (const meet of [check, (index: Index) => more(index).catch(() => undefined)])
        for (const [path] of [...content].filter(([file]) => !isManifest(file))) {
          await restore(folder, content);
          await flip(path, 3);
          await utimes(path, WHOLE_SECOND, WHOLE_SECOND);
          const under = await open(folder);
          expect(under.index.damaged()).toEqual([]);
          await meet(under.index);
          expect(under.reported).toEqual([partition]);
          await under.index.close();
          // The process may be killed before the partition is dropped.
          const { index, reported } = await open(folder);
          await check(index);
          expect([index.damaged().length, reported.length]).toEqual([1, 1]);
          await index.drop(partition);
          await fill(index);
          expect(await stateOf(index)).toEqual(state);
          await index.close();
        }
      await dispose();
    });

    it('reads nothing twice in the background, and reports no damage in intact files', async () => {
      const { folder, state, dispose } = await closedIndex();
      const { index, reported } = await open(folder);
      await check(index);
      await check(index);
      expect([reported, await stateOf(index)]).toEqual([[], state]);
      await index.close();
      await dispose();
    });
  });
