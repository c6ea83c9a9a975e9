import { cp, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { partitionKey, START, type IndexEntry, type IndexPartition, type LexicalIndex, type Position } from '@palimpsest/knowledge';
import { describeCleanClose } from './clean-close-promises.ts';
import { lexicalEntriesOf, putText, withLexicalIndex, type LexicalIndexUnderTest, type LexicalWrite } from './lexical-index-fixture.ts';
import { aPartition, aPosition, readable, removal } from './vector-index-fixture.ts';

type CheckedLexicalIndex = LexicalIndex & Readonly<{ check(): Promise<void> }>;
/** `folder`: what to open; a new and empty one when it is left out. `reported`: what was said to be damaged after opening. */
export type OpenLexicalIndexFolder = (folder?: string) => Promise<LexicalIndexUnderTest & Readonly<{ index: CheckedLexicalIndex; folder: string; reported: readonly IndexPartition[] }>>;

const partition = aPartition();
type State = Readonly<{ position: Position; entries: readonly IndexEntry[]; found: readonly unknown[] }>;

const CALLS: readonly (readonly LexicalWrite[])[] = [
  [putText(1, 'apple berry', { language: 'en' }), putText(2, 'berry')],
  [putText(3, 'apple'), removal(1)],
  [],
  [putText(2, 'berry apple apple', { language: 'de' }), putText(4, 'apple cedar')],
  [putText(5, 'apple dune'), putText(6, 'ember'), removal(3)],
];

const stateOf = async (index: LexicalIndex): Promise<State> => ({
  position: await index.position(partition),
  entries: await lexicalEntriesOf(index, partition),
  found: await index.search(readable(partition), 'apple berry', { k: 10 }),
});

/** Applies the calls and tells what the partition held after each, START first. */
const applyAll = async (index: LexicalIndex): Promise<State[]> => {
  const states = [await stateOf(index)];
  for (const [i, writes] of CALLS.entries()) {
    await index.apply(partition, writes, aPosition(i + 1));
    states.push(await stateOf(index));
  }
  return states;
};

const filesIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();

/** The promises of an index that lies in files: what a crash leaves, and what damage does. */
export const describeLexicalIndexFiles = (name: string, open: OpenLexicalIndexFolder): void => {
  describeCleanClose(name, open, {
    partition, fill: applyAll, stateOf, check: (index) => index.check(), more: (index) => index.apply(partition, [putText(7, 'fjord')], aPosition(100)),
  });
  describe(`${name}, as files,`, () => {
    /** Copies the folder as it lies there, lets `harm` loose on the copy, and opens it. */
    const afterwards = async (folder: string, harm: (copy: string) => Promise<void>, look: (index: LexicalIndex) => Promise<void>): Promise<void> => {
      const copy = await mkdtemp(join(tmpdir(), 'lexical-index-kit-'));
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
      withLexicalIndex(open, async ({ index, folder }) => {
        const states = await applyAll(index);
        await index.flush();
        await afterwards(folder, async () => {}, async (copy) => expect(await stateOf(copy)).toEqual(states.at(-1)));
      }));

    it('reflects exactly the calls up to its position wherever a crash cut a file off, and goes on from there', () =>
      withLexicalIndex(open, async ({ index, folder }) => {
        const states = await applyAll(index);
        for (const [f, file] of (await filesIn(folder)).entries()) {
          const { length } = await readFile(file);
          for (let kept = length - 1; kept >= 0; kept -= kept > length - 200 ? 3 : 17)
            await afterwards(folder, async (copy) => truncate((await filesIn(copy))[f] ?? '', kept), async (copy) => {
              const state = await stateOf(copy);
              expect(states).toContainEqual(state);
              await copy.apply(partition, [putText(7, 'fjord')], aPosition(100));
              expect(await copy.count(partition)).toBe(state.entries.length + 1);
              expect(await copy.search(readable(partition), 'fjord', { k: 1 })).toHaveLength(1);
            });
        }
      }));

    it('notices any changed byte of what was flushed: all is as it was, or the partition is gone and named as damaged', () =>
      withLexicalIndex(open, async ({ index, folder }) => {
        const whole = (await applyAll(index)).at(-1);
        await index.flush();
        let noticed = 0;
        for (const [f, file] of (await filesIn(folder)).entries()) {
          const { length } = await readFile(file);
          for (let at = 0; at < length; at += 7)
            await afterwards(folder, (copy) => flip(copy, f, at), async (copy) => {
              if (copy.damaged().length === 0) return expect(await stateOf(copy)).toEqual(whole);
              noticed++;
              expect(copy.damaged().map((one) => partitionKey(one.partition))).toEqual([partitionKey(partition)]);
              expect(await stateOf(copy)).toEqual({ position: START, entries: [], found: [] });
              expect(await copy.partitions()).toEqual([]);
            });
        }
        expect(noticed).toBeGreaterThan(10);
      }));

    it('can be built again where it was damaged', () =>
      withLexicalIndex(open, async ({ index, folder }) => {
        const states = await applyAll(index);
        await index.flush();
        await afterwards(folder, (copy) => flip(copy, 0, 0), async (copy) => {
          expect(copy.damaged()).toHaveLength(1);
          expect(await applyAll(copy)).toEqual(states);
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
