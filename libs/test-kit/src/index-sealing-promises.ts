import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { partitionKey, type IndexPartition, type IndexRemoval } from '@palimpsest/knowledge/read-models';
import { chunkId, START, type ChunkId } from '@palimpsest/knowledge/values';
import type { OpenIndexFolder } from './flush-manifest-promises.ts';
import { aPartition, aPosition, entriesOf, withIndex, type WritableIndex } from './index-fixture.ts';
import type { CheckedIndex } from './index-files-promises.ts';

/** Something that no file may contain, in each way in which a file could. */
export type Secret = Readonly<{ what: string; spellings: readonly Uint8Array[] }>;

export type IndexSealingFixture<Index, Put> = Readonly<{
  partition: IndexPartition;
  /** A put of a chunk, and what it contains. */
  put: Put;
  secrets: readonly Secret[];
  /** A put of another chunk, which is removed again. */
  other: Put;
  removal: IndexRemoval;
  finds: (index: Index, partition: IndexPartition) => Promise<boolean>;
}>;

export const SECRET_CHUNK = chunkId('5ec12e7c0ffee123456789abcdef5ec1');

/** As digits, as bytes, and as four little-endian words. */
export const spellingsOf = (id: ChunkId): readonly Uint8Array[] => {
  const bytes = Buffer.from(id, 'hex');
  return [Buffer.from(id), bytes, Buffer.from(bytes).swap32()];
};

const filesIn = async (folder: string): Promise<readonly string[]> =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();

/** What happens to the bytes of a file: a piece is moved, copied, exchanged for another one, or lost. */
const aChange = fc.record({
  file: fc.nat(),
  from: fc.nat(),
  to: fc.nat(),
  length: fc.integer({ min: 1, max: 400 }),
  how: fc.constantFrom('copy over', 'insert', 'exchange', 'remove', 'zero'),
});
type Change = typeof aChange extends fc.Arbitrary<infer T> ? T : never;

const changed = (bytes: Buffer, { from: a, to: b, length, how }: Change): Buffer => {
  const [from, to] = [a % bytes.length, b % bytes.length];
  const result = Buffer.from(bytes);
  const piece = bytes.subarray(from, from + length);
  if (how === 'remove') return Buffer.concat([bytes.subarray(0, from), bytes.subarray(from + length)]);
  if (how === 'insert') return Buffer.concat([bytes.subarray(0, to), piece, bytes.subarray(to)]);
  if (how === 'zero') return result.fill(0, from, from + piece.length);
  if (how === 'exchange') bytes.copy(result, from, to, to + piece.length);
  piece.copy(result, to);
  return result;
};

/** The contract of an index whose files are sealed under the key of their scope. */
export const describeIndexSealing = <Put, Index extends WritableIndex<Put>>(
  name: string,
  open: OpenIndexFolder<CheckedIndex<Index>>,
  { partition, put, secrets, other, removal, finds }: IndexSealingFixture<Index, Put>,
): void => {
  /** Copies the folder as it is, as a kill would leave it. */
  const copyOf = async (folder: string): Promise<string> => {
    const copy = await mkdtemp(join(tmpdir(), 'index-kit-'));
    await cp(folder, copy, { recursive: true });
    return copy;
  };

  const seenIn = async (folder: string): Promise<readonly string[]> => {
    const files = await Promise.all((await filesIn(folder)).map((file) => readFile(file)));
    return secrets
      .filter(({ spellings }) => spellings.some((spelling) => files.some((bytes) => bytes.includes(Buffer.from(spelling)))))
      .map(({ what }) => what);
  };

  /** All that is seen in any file while the index is written, flushed, compacted, killed and started again. */
  const seenWhileUsed = (transparent: boolean): Promise<ReadonlySet<string>> => {
    const seen = new Set<string>();
    const look = async (folder: string): Promise<void> => (await seenIn(folder)).forEach((what) => seen.add(what));
    return withIndex(
      () => open(undefined, { transparent }),
      async ({ index, folder }) => {
        await index.apply(partition, [put], aPosition(1));
        await look(folder);
        await index.apply(partition, [other], aPosition(2));
        await index.flush();
        await look(folder);
        await index.apply(partition, [removal], aPosition(3));
        await index.purge?.();
        await look(folder);
        const copy = await copyOf(folder);
        const again = await open(copy, { transparent });
        expect(await finds(again.index, partition)).toBe(true);
        await again.index.apply(partition, [put, other], aPosition(4));
        await again.index.flush();
        await look(copy);
        await again.dispose();
      },
    ).then(() => seen);
  };

  describe(`${name}, as sealed files,`, () => {
    it('shows nothing of what it holds in any file, in use, after a compaction, and after a kill and a restart', async () => {
      expect([...(await seenWhileUsed(true))].sort()).toEqual(secrets.map(({ what }) => what).sort());
      expect([...(await seenWhileUsed(false))]).toEqual([]);
    });

    it('notices any piece that was moved, copied, lost or emptied: either nothing changed, or the partition is reported as damaged', () =>
      withIndex(open, async ({ index, folder }) => {
        for (const [i, write] of [put, other, removal, put, other].entries()) await index.apply(partition, [write], aPosition(i + 1));
        await index.flush();
        const stateOf = async (of: Index) => [await of.position(partition), await entriesOf(of, partition)];
        const whole = await stateOf(index);
        await fc.assert(
          fc.asyncProperty(aChange, async (change) => {
            const copy = await copyOf(folder);
            const files = await filesIn(copy);
            const file = files[change.file % files.length] ?? '';
            await writeFile(file, changed(await readFile(file), change));
            const again = await open(copy);
            const damaged = again.index.damaged().map((one) => partitionKey(one.partition));
            if (damaged.length > 0) expect(damaged).toEqual([partitionKey(partition)]);
            else expect(await stateOf(again.index)).toEqual(whole);
            await again.dispose();
          }),
          { numRuns: 80 },
        );
      }));

    it('drops a loaded partition on its next use after its key was destroyed, and stores nothing in it any more', () =>
      withIndex(open, async ({ index, folder, keys, reported }) => {
        const erased = aPartition('team:erased-in-use');
        for (const one of [erased, partition]) await index.apply(one, [put, other], aPosition(1));
        await index.flush();
        expect(await finds(index, erased)).toBe(true);
        await keys.destroy(erased.scope);
        expect([await finds(index, erased), await finds(index, partition)]).toEqual([false, true]);
        await index.apply(erased, [removal], aPosition(2));
        await index.apply(erased, [put], aPosition(3));
        expect([await index.position(erased), await index.count(erased), await entriesOf(index, erased)]).toEqual([START, 0, []]);
        expect([await index.partitions(), index.damaged(), reported]).toEqual([[partition], [], []]);
        await index.purge?.();
        await index.flush();
        expect((await filesIn(folder)).filter((file) => file.includes('erased'))).toEqual([]);
      }));

    it.each([
      ['that a start accepts unread: the check of unread files removes them', true],
      ['that a start reads: it removes them', false],
    ])('treats files whose key was destroyed as gone, not as damaged, also those %s', (_, recorded) =>
      withIndex(open, async ({ index, folder, keys }) => {
        const erased = aPartition(`team:erased-${recorded ? 'unread' : 'read'}`);
        for (const one of [erased, partition]) await index.apply(one, [put], aPosition(1));
        await index.flush();
        await index.close();
        if (!recorded) for (const file of await filesIn(folder)) if (file.endsWith('.synced')) await rm(file);
        await keys.destroy(erased.scope);
        const again = await open(folder);
        await again.index.check();
        expect([await again.index.partitions(), again.index.damaged(), again.reported]).toEqual([[partition], [], []]);
        expect((await filesIn(folder)).filter((file) => file.includes('erased'))).toEqual([]);
        expect([await finds(again.index, erased), await finds(again.index, partition)]).toEqual([false, true]);
        await again.index.close();
      }),
    );
  });
};
