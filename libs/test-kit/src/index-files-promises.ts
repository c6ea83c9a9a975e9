import { cp, mkdtemp, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { partitionKey, type IndexPartition, type IndexRemoval, type IndexStore } from '@palimpsest/knowledge/read-models';
import { describeFlushManifest, type OpenIndexFolder } from './flush-manifest-promises.ts';
import { aPosition, withIndex, type WritableIndex } from './index-fixture.ts';

/** An index that can check, in the background, data that it did not read at opening. */
export type CheckedIndex<Index extends IndexStore> = Index & Readonly<{ check(): Promise<void> }>;

export type IndexFilesFixture<Index, Put> = Readonly<{
  partition: IndexPartition;
  /** Applied sequentially to an empty partition. */
  calls: readonly (readonly (Put | IndexRemoval)[])[];
  /** A put of a chunk that is in none of the calls. */
  more: Put;
  /** The bytes that a file may contain for `more`. */
  spellings: readonly Uint8Array[];
  removal: IndexRemoval;
  stateOf: (index: Index) => Promise<unknown>;
  /** The state of a partition that does not exist. */
  nothing: unknown;
  /** Whether a search finds what `more` put. */
  findsMore: (index: Index) => Promise<boolean>;
}>;

const filesIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();

/** The folder with the files of the only partition. */
const folderOfPartition = async (root: string): Promise<string> =>
  dirname((await filesIn(root)).find((file) => dirname(file) !== root) ?? '');

const flip = async (folder: string, file: number, at: number): Promise<void> => {
  const path = (await filesIn(folder))[file] ?? '';
  const bytes = await readFile(path);
  bytes.writeUInt8(bytes.readUInt8(at) ^ 0x20, at);
  await writeFile(path, bytes);
};

/** The contract of an index that is stored in files: after crashes and after damage. */
export const describeIndexFiles = <Put, Index extends WritableIndex<Put>>(
  name: string,
  open: OpenIndexFolder<CheckedIndex<Index>>,
  { partition, calls, more, spellings, removal, stateOf, nothing, findsMore }: IndexFilesFixture<Index, Put>,
): void => {
  /** Applies the calls; returns the state before the first call and after each. */
  const applyAll = async (index: Index): Promise<unknown[]> => {
    const states = [await stateOf(index)];
    for (const [i, writes] of calls.entries()) {
      await index.apply(partition, writes, aPosition(i + 1));
      states.push(await stateOf(index));
    }
    return states;
  };
  const applyMore = (index: Index): Promise<void> => index.apply(partition, [more], aPosition(100));

  describeFlushManifest(name, open, { partition, fill: applyAll, stateOf, check: (index) => index.check(), more: applyMore });

  describe(`${name}, as files,`, () => {
    /** Copies the folder as it is, applies `harm` to the copy, and opens it. */
    const afterwards = async (
      folder: string,
      harm: (copy: string) => Promise<void>,
      look: (index: Index) => Promise<void>,
      { transparent = false } = {},
    ): Promise<void> => {
      const copy = await mkdtemp(join(tmpdir(), 'index-kit-'));
      try {
        await cp(folder, copy, { recursive: true });
        await harm(copy);
        const { index } = await open(copy, { transparent });
        await look(index).finally(() => index.close());
      } finally {
        await rm(copy, { recursive: true, force: true });
      }
    };

    it('keeps data applied before a flush after a crash', () =>
      withIndex(open, async ({ index, folder }) => {
        const states = await applyAll(index);
        await index.flush();
        await afterwards(
          folder,
          async () => {},
          async (copy) => expect(await stateOf(copy)).toEqual(states.at(-1)),
        );
      }));

    it('reflects exactly the calls up to its position wherever a crash truncated a file, and continues from there', () =>
      withIndex(open, async ({ index, folder }) => {
        const states = await applyAll(index);
        for (const [f, file] of (await filesIn(folder)).entries()) {
          const { length } = await readFile(file);
          for (let kept = length - 1; kept >= 0; kept -= kept > length - 100 ? 1 : 17)
            await afterwards(
              folder,
              async (copy) => truncate((await filesIn(copy))[f] ?? '', kept),
              async (copy) => {
                expect(states).toContainEqual(await stateOf(copy));
                const before = await copy.count(partition);
                await applyMore(copy);
                expect([await copy.count(partition), await findsMore(copy)]).toEqual([before + 1, true]);
              },
            );
        }
      }));

    it('detects any changed byte of flushed data: either nothing changed, or the partition is reported as damaged', () =>
      withIndex(open, async ({ index, folder }) => {
        const whole = (await applyAll(index)).at(-1);
        await index.flush();
        let noticed = 0;
        for (const [f, file] of (await filesIn(folder)).entries()) {
          const { length } = await readFile(file);
          for (let at = 0; at < length; at += 7)
            await afterwards(
              folder,
              (copy) => flip(copy, f, at),
              async (copy) => {
                if (copy.damaged().length === 0) return expect(await stateOf(copy)).toEqual(whole);
                noticed++;
                expect(copy.damaged().map((one) => partitionKey(one.partition))).toEqual([partitionKey(partition)]);
                expect(await stateOf(copy)).toEqual(nothing);
                expect(await copy.partitions()).toEqual([]);
              },
            );
        }
        expect(noticed).toBeGreaterThan(10);
      }));

    /** What is sealed cannot be searched for. */
    const openTransparent = () => open(undefined, { transparent: true });
    const mentions = async (folder: string): Promise<readonly string[]> => {
      const found: string[] = [];
      for (const file of await filesIn(folder)) {
        const bytes = await readFile(file);
        if (spellings.some((spelling) => bytes.includes(Buffer.from(spelling)))) found.push(file);
      }
      return found;
    };

    it('has no removed data in any file after a purge, also none that an earlier process removed', () =>
      withIndex(openTransparent, async ({ index, folder }) => {
        await applyAll(index);
        await applyMore(index);
        await index.flush();
        expect(await mentions(folder)).not.toEqual([]);
        await index.apply(partition, [removal], aPosition(101));
        const without = await stateOf(index);
        await index.flush();
        const purged = async (one: Index, copy: string): Promise<void> => {
          await one.purge?.();
          expect([await mentions(copy), await stateOf(one)]).toEqual([[], without]);
          await one.flush();
          expect(await mentions(copy)).toEqual([]);
        };
        let copied = '';
        await afterwards(
          folder,
          async (copy) => void (copied = copy),
          async (copy) => {
            await purged(copy, copied);
            await afterwards(
              copied,
              async () => {},
              async (again) => expect(await stateOf(again)).toEqual(without),
              { transparent: true },
            );
          },
          { transparent: true },
        );
        await purged(index, folder);
        await index.apply(partition, [more], aPosition(102));
        expect(await findsMore(index)).toBe(true);
      }));

    it('has nothing in the files of a copy that was removed before, whether or not the files of the original still have it', () =>
      withIndex(openTransparent, async ({ index, folder }) => {
        await applyAll(index);
        await applyMore(index);
        await index.apply(partition, [removal], aPosition(101));
        const without = await stateOf(index);
        expect(await mentions(folder)).not.toEqual([]);
        for (const step of [async () => {}, async () => index.purge?.()]) {
          await step();
          await withIndex(openTransparent, async (to) => {
            await to.index.copy?.(partition, index);
            expect([await mentions(to.folder), await stateOf(to.index)]).toEqual([[], without]);
            await to.index.apply(partition, [more], aPosition(102));
            expect([await findsMore(to.index), await findsMore(index)]).toEqual([true, false]);
          });
        }
      }));

    it.each([
      ['before the first rename', { next: true, current: true, previous: false }],
      ['between the renames', { next: true, current: false, previous: true }],
      ['before the previous folder was removed', { next: false, current: true, previous: true }],
    ])('has adopted a partition after a kill %s', (_, left) =>
      withIndex(open, async ({ index, folder }) => {
        await applyAll(index);
        await index.flush();
        await withIndex(open, async (from) => {
          await applyMore(from.index);
          const adopted = await stateOf(from.index);
          await from.index.flush();
          const within = relative(folder, await folderOfPartition(folder));
          const next = join(from.folder, within);
          await afterwards(
            folder,
            async (copy) => {
              const current = join(copy, within);
              // The adoption first removes the partition from the manifest.
              for (const name of await readdir(copy)) if (name.endsWith('.synced')) await rm(join(copy, name));
              if (left.previous) await rename(current, `${current}.previous`);
              await cp(next, left.next ? `${current}.next` : current, { recursive: true });
            },
            async (copy) => {
              expect([await stateOf(copy), copy.damaged()]).toEqual([adopted, []]);
              await copy.drop(partition);
              expect(await stateOf(copy)).toEqual(nothing);
            },
          );
        });
      }),
    );

    it('can be rebuilt after damage', () =>
      withIndex(open, async ({ index, folder }) => {
        const states = await applyAll(index);
        await index.flush();
        await afterwards(
          folder,
          (copy) => flip(copy, 0, 0),
          async (copy) => {
            expect(copy.damaged()).toHaveLength(1);
            expect(await applyAll(copy)).toEqual(states);
          },
        );
      }));
  });
};
