import { listedChunks } from '@palimpsest/contracts';
import { chunkId } from '@palimpsest/knowledge/values';
import type { FoundPoint, PointQuery } from '../partitions/partition-points.ts';
import { selectInPoints } from './select-in-points.ts';

/** The words of each chunk of the partition, by its number. */
type Chunks = readonly (readonly string[])[];

const aChunk = (number: number) => chunkId(number.toString(16).padStart(32, '0'));
const numberOf = (term: string): number => Buffer.from(term).reduce((hash, byte) => (hash * 31 + byte) % 65_521, 7);

const select = async (chunks: Chunks, required: readonly string[], excluded: readonly string[] = []) => {
  const limits: number[] = [];
  const points = {
    query: async ({ query, limit }: PointQuery): Promise<readonly FoundPoint[]> => {
      limits.push(limit);
      const [index] = (query as Readonly<{ indices: readonly number[] }>).indices;
      const holders = chunks.flatMap((words, i) => (words.some((word) => numberOf(JSON.stringify(word)) === index) ? [i] : []));
      return holders
        .slice(0, limit)
        .map((i) => ({ id: i, chunkId: aChunk(i), score: 1, payload: { terms: JSON.stringify(chunks[i]) }, vector: undefined }));
    },
    count: async () => chunks.length,
  };
  const seal = {
    number: (_: 'attribute' | 'word', content: string) => numberOf(content),
    open: (_: string, __: string, sealed: unknown) => Buffer.from(String(sealed)),
  };
  const readings = (entries: readonly string[]) => entries.map((entry) => [entry.split(' ')]);
  const conditions = { required: readings(required), excluded: readings(excluded), ignored: [] };
  const { chunks: selection, count } = await selectInPoints(conditions, { points, seal });
  return { listed: listedChunks(selection).map((id) => Number.parseInt(id, 16)), isOnly: 'only' in selection, count, limits };
};

describe('A selection in points', () => {
  it('reads the chunks with one word, the longest of an entry, and compares the others itself', async () => {
    const chunks = [['tea', 'leaves'], ['leaves'], ['tea'], ['tea', 'leaves', 'coal']];
    expect(await select(chunks, ['tea leaves'], ['coal'])).toEqual({ listed: [0], isOnly: true, count: 1, limits: [1_000] });
    expect(await select(chunks, [], ['coal', 'tea leaves'])).toEqual({ listed: [0, 3], isOnly: false, count: 2, limits: [1_000, 1_000] });
    expect(await select(chunks, [])).toEqual({ listed: [], isOnly: false, count: 4, limits: [] });
  });

  it('reads those with the required word that fewest have, and more if all are frequent', async () => {
    const chunks = Array.from({ length: 3_000 }, (_, i) => (i % 2 === 0 ? ['often'] : i === 1 ? ['rare', 'often'] : ['often', 'seldom']));
    expect(await select(chunks, ['often', 'rare'])).toEqual({ listed: [1], isOnly: true, count: 1, limits: [1_000, 1_000] });
    expect((await select(chunks, ['often'], ['seldom'])).limits).toEqual([1_000, 10_000]);
  });

  it('refuses words that too many chunks have', async () => {
    const chunks = Array.from({ length: 100_000 }, () => ['often']);
    await expect(select(chunks, ['often'])).rejects.toMatchObject({ code: 'InvalidValue', field: 'terms' });
    await expect(select(chunks, [], ['often'])).rejects.toMatchObject({ code: 'InvalidValue', field: 'terms' });
  });
});
