import { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { partitionKey, START, Unavailable, type IndexPartition, type IndexStore } from '@palimpsest/knowledge';

/** `folder`: what to open; a new and empty one when it is left out. `reported`: what was said to be damaged after opening. */
export type OpenIndexFolder<Index extends IndexStore> = (folder?: string) => Promise<Readonly<{ index: Index; folder: string; reported: readonly IndexPartition[]; dispose(): Promise<void> }>>;

export type SyncedMarkFixture<Index> = Readonly<{
  partition: IndexPartition;
  /** Makes some calls on an empty partition. */
  fill: (index: Index) => Promise<unknown>;
  /** One more call. */
  more: (index: Index) => Promise<unknown>;
  stateOf: (index: Index) => Promise<unknown>;
  /** Reads through, in the background, what was taken unread. */
  check: (index: Index) => Promise<void>;
}>;

/** File systems keep nanoseconds that `utimes` cannot put back: with whole seconds, a change leaves no trace in the times. */
const WHOLE_SECOND = new Date(1_700_000_000_000);

const filesIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name)).sort();
const isMark = (path: string): boolean => path.endsWith('.synced');

type Content = ReadonlyMap<string, Buffer>;
const contentOf = async (folder: string): Promise<Content> => new Map(await Promise.all((await filesIn(folder)).map(async (path) => [path, await readFile(path)] as const)));

/** Puts a folder back, times included. */
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

/** The promises of the mark that an index in files keeps of what is on disk. */
export const describeSyncedMark = <Index extends IndexStore>(name: string, open: OpenIndexFolder<Index>, { partition, fill, more, stateOf, check }: SyncedMarkFixture<Index>): void =>
  describe(`${name}, by the mark of what is on disk,`, () => {
    /** An index that was filled and closed, its files' times whole seconds: what it held, and how it lies there. */
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

    it('goes by it after a kill, too: what was flushed may be damaged, and is not read before it is used', async () => {
      const { index, folder, dispose } = await open();
      await fill(index);
      await index.flush();
      const state = await stateOf(index);
      // As a kill leaves it, with times that do not tell what is done to it.
      for (const path of await filesIn(folder)) if (!isMark(path)) await utimes(path, WHOLE_SECOND, WHOLE_SECOND);
      const killed = await open(folder);
      await killed.index.flush();
      const content = await contentOf(folder);
      await killed.index.close();
      await restore(folder, content);
      const again = await open(folder);
      expect([again.index.damaged(), await stateOf(again.index)]).toEqual([[], state]);
      await again.index.close();
      let unread = 0;
      for (const [path, bytes] of [...content].filter(([file]) => !isMark(file))) {
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

    it('takes an end of what was flushed that is missing after a kill for damage; what came later may be', async () => {
      const { index, folder, dispose } = await open();
      await fill(index);
      const flushed = await stateOf(index);
      await index.flush();
      const before = await contentOf(folder);
      await more(index);
      const after = await stateOf(index);
      const content = await contentOf(folder);
      let noticed = 0;
      for (const [path, bytes] of [...content].filter(([file]) => !isMark(file)))
        for (let kept = bytes.length - 1; kept >= 0; kept -= 13) {
          await restore(folder, content);
          await writeFile(path, bytes.subarray(0, kept));
          const { index: cut } = await open(folder);
          if (cut.damaged().length > 0) {
            noticed++;
            // What came after the flush is missing as after a crash.
            expect(kept).toBeLessThan(before.get(path)?.length ?? 0);
          } else expect([flushed, after]).toContainEqual(await stateOf(cut));
          await cut.close();
        }
      expect(noticed).toBeGreaterThan(10);
      await index.close().catch(() => undefined);
      await dispose();
    });

    it('forgets what was dropped, before it is: begun anew and killed, there is less, and no damage', async () => {
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

    it('answers as it does without it, and takes calls as it does then', async () => {
      const { folder, state, content, dispose } = await closedIndex();
      const seen: unknown[] = [];
      for (const kept of [content, new Map([...content].filter(([path]) => !isMark(path)))])
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

    it('answers the same after it was opened and closed again without being asked', async () => {
      const { folder, state, dispose } = await closedIndex();
      await (await open(folder)).index.close();
      const { index } = await open(folder);
      expect(await stateOf(index)).toEqual(state);
      await index.close();
      await dispose();
    });

    it('reads a file through whose size or time has changed: damage is known when it is open', async () => {
      const { folder, content, dispose } = await closedIndex();
      for (const [path] of [...content].filter(([file]) => !isMark(file))) {
        await restore(folder, content);
        await flip(path, 0);
        const { index, reported } = await open(folder);
        expect(index.damaged().map((one) => partitionKey(one.partition))).toEqual([partitionKey(partition)]);
        expect([await index.position(partition), await index.partitions(), reported]).toEqual([START, [], []]);
        await index.close();
      }
      await dispose();
    });

    it('takes an end that was cut off for damage: a crash cannot have broken it off', async () => {
      const { folder, state, content, dispose } = await closedIndex();
      let noticed = 0;
      for (const [path, bytes] of [...content].filter(([file]) => !isMark(file)))
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

    it('never answers with less when a byte has changed and the times have not: it refuses, and says so', async () => {
      const { folder, state, content, dispose } = await closedIndex();
      let refused = 0;
      for (const [path, { length }] of [...content].filter(([file]) => !isMark(file)))
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

    it('finds such a byte in the background, too, and with the first call; after the next opening again, and dropped it can be made again', async () => {
      const { folder, state, content, dispose } = await closedIndex();
      for (const meet of [check, (index: Index) => more(index).catch(() => undefined)])
        for (const [path] of [...content].filter(([file]) => !isMark(file))) {
          await restore(folder, content);
          await flip(path, 3);
          await utimes(path, WHOLE_SECOND, WHOLE_SECOND);
          const under = await open(folder);
          expect(under.index.damaged()).toEqual([]);
          await meet(under.index);
          expect(under.reported).toEqual([partition]);
          await under.index.close();
          // A kill may have come before anybody dropped it.
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

    it('reads nothing twice in the background, and finds nothing where nothing is', async () => {
      const { folder, state, dispose } = await closedIndex();
      const { index, reported } = await open(folder);
      await check(index);
      await check(index);
      expect([reported, await stateOf(index)]).toEqual([[], state]);
      await index.close();
      await dispose();
    });
  });
