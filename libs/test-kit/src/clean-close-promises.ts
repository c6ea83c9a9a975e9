import { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { partitionKey, START, Unavailable, type IndexPartition, type IndexStore } from '@palimpsest/knowledge';

/** `folder`: what to open; a new and empty one when it is left out. `reported`: what was said to be damaged after opening. */
export type OpenIndexFolder<Index extends IndexStore> = (folder?: string) => Promise<Readonly<{ index: Index; folder: string; reported: readonly IndexPartition[]; dispose(): Promise<void> }>>;

export type CleanCloseFixture<Index> = Readonly<{
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
const isMark = (path: string): boolean => path.endsWith('.closed');

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

/** The promises of the mark that an index in files leaves when it is closed in good order. */
export const describeCleanClose = <Index extends IndexStore>(name: string, open: OpenIndexFolder<Index>, { partition, fill, more, stateOf, check }: CleanCloseFixture<Index>): void =>
  describe(`${name}, closed in good order,`, () => {
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

    it('leaves a mark, which is gone as long as it is open', async () => {
      const { folder, dispose } = await closedIndex();
      expect((await filesIn(folder)).filter(isMark)).toHaveLength(1);
      const { index } = await open(folder);
      expect((await filesIn(folder)).filter(isMark)).toEqual([]);
      await index.close();
      expect((await filesIn(folder)).filter(isMark)).toHaveLength(1);
      await dispose();
    });

    it('answers as it does after a kill, and takes calls as it does then', async () => {
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

    it('finds such a byte in the background, too, and with the first call; the next opening reads it through, and dropped it can be made again', async () => {
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
          const { index, reported } = await open(folder);
          expect([index.damaged().length, reported.length]).toEqual([1, 0]);
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
