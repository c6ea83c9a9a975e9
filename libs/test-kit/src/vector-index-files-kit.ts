import { cp, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { partitionKey, START, type IndexEntry, type IndexPartition, type Position, type VectorIndex } from '@palimpsest/knowledge';
import { describeCleanClose } from './clean-close-promises.ts';
import { aPartition, aPosition, entriesOf, exactVector, put, removal, withVectorIndex, type VectorIndexUnderTest, type VectorWrite } from './vector-index-fixture.ts';

type CheckedVectorIndex = VectorIndex & Readonly<{ check(): Promise<void> }>;
/** `folder`: what to open; a new and empty one when it is left out. `reported`: what was said to be damaged after opening. */
export type OpenVectorIndexFolder = (folder?: string) => Promise<VectorIndexUnderTest & Readonly<{ index: CheckedVectorIndex; folder: string; reported: readonly IndexPartition[] }>>;

const partition = aPartition();
type State = Readonly<{ position: Position; entries: readonly IndexEntry[] }>;

const CALLS: readonly (readonly VectorWrite[])[] = [
  [put(1, exactVector(1), { language: 'en' }), put(2, exactVector(2))],
  [put(3, exactVector(3)), removal(1)],
  [],
  [put(2, exactVector(9), { language: 'de' }), put(4, exactVector(4))],
  [put(5, exactVector(5)), put(6, exactVector(6)), removal(3)],
];

const stateOf = async (index: VectorIndex): Promise<State> => ({
  position: await index.position(partition),
  entries: await entriesOf(index, partition),
});

/** Applies the calls and tells what the partition held after each, START first. */
const applyAll = async (index: VectorIndex): Promise<State[]> => {
  const states = [await stateOf(index)];
  for (const [i, writes] of CALLS.entries()) {
    await index.apply(partition, writes, aPosition(i + 1));
    states.push(await stateOf(index));
  }
  return states;
};

const filesIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));

/** The promises of an index that lies in files: what a crash leaves, and what damage does. */
export const describeVectorIndexFiles = (name: string, open: OpenVectorIndexFolder): void => {
  describeCleanClose(name, open, {
    partition, fill: applyAll, stateOf, check: (index) => index.check(), more: (index) => index.apply(partition, [put(7, exactVector(7))], aPosition(100)),
  });
  describe(`${name}, as files,`, () => {
    /** Copies the folder as it lies there, lets `harm` loose on the copy, and opens it. */
    const afterwards = async (folder: string, harm: (copy: string) => Promise<void>, look: (index: VectorIndex) => Promise<void>): Promise<void> => {
      const copy = await mkdtemp(join(tmpdir(), 'vector-index-kit-'));
      try {
        await cp(folder, copy, { recursive: true });
        await harm(copy);
        const under = await open(copy);
        await look(under.index).finally(() => under.index.close());
      } finally {
        await rm(copy, { recursive: true, force: true });
      }
    };

    it('still holds after a crash what was applied before a flush', () =>
      withVectorIndex(open, async (under) => {
        const states = await applyAll(under.index);
        await under.index.flush();
        await afterwards(under.folder, async () => {}, async (index) => {
          expect(await stateOf(index)).toEqual(states.at(-1));
        });
      }));

    it('reflects exactly the calls up to its position wherever a crash cut a file off, and goes on from there', () =>
      withVectorIndex(open, async (under) => {
        const { folder } = under;
        const states = await applyAll(under.index);
        for (const [f, file] of (await filesIn(folder)).entries()) {
          const { length } = await readFile(file);
          for (let kept = length - 1; kept >= 0; kept -= kept > length - 100 ? 1 : 37)
            await afterwards(folder, async (copy) => truncate((await filesIn(copy))[f] ?? '', kept), async (index) => {
              const state = await stateOf(index);
              expect(states).toContainEqual(state);
              await index.apply(partition, [put(7, exactVector(7))], aPosition(100));
              expect(await index.count(partition)).toBe(state.entries.length + 1);
            });
        }
      }));

    it('notices any changed byte of what was flushed: all is as it was, or the partition is gone and named as damaged', () =>
      withVectorIndex(open, async (under) => {
        const { folder } = under;
        const whole = (await applyAll(under.index)).at(-1);
        await under.index.flush();
        let noticed = 0;
        for (const [f, file] of (await filesIn(folder)).entries()) {
          const { length } = await readFile(file);
          for (let at = 0; at < length; at += 7)
            await afterwards(folder, (copy) => flip(copy, f, at), async (index) => {
              if (index.damaged().length === 0) return expect(await stateOf(index)).toEqual(whole);
              noticed++;
              expect(index.damaged().map((one) => partitionKey(one.partition))).toEqual([partitionKey(partition)]);
              expect(await stateOf(index)).toEqual({ position: START, entries: [] });
              expect(await index.partitions()).toEqual([]);
            });
        }
        expect(noticed).toBeGreaterThan(10);
      }));

    it('can be built again where it was damaged', () =>
      withVectorIndex(open, async (under) => {
        const { folder } = under;
        const states = await applyAll(under.index);
        await under.index.flush();
        await afterwards(folder, (copy) => flip(copy, 0, 0), async (index) => {
          expect(index.damaged()).toHaveLength(1);
          expect(await applyAll(index)).toEqual(states);
        });
      }));
  });
};

const flip = async (folder: string, file: number, at: number): Promise<void> => {
  const path = (await filesIn(folder))[file] ?? '';
  const bytes = await readFile(path);
  bytes.writeUInt8(bytes.readUInt8(at) ^ 0x20, at);
  await writeFile(path, bytes);
};
