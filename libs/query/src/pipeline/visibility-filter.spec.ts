import { authorise } from '@palimpsest/knowledge/access';
import { vectorScope, type ChunkId } from '@palimpsest/knowledge/values';
import { aChunk, reader, SearchWorld } from '../../test/search-world.ts';
import { visibleCandidates, VisibilityFilter } from './visibility-filter.ts';

const permitted = (...scopes: readonly string[]) =>
  authorise(
    reader(),
    scopes.map((scope) => vectorScope(scope)),
  );
const hits = (...numbers: readonly number[]) => numbers.map((number) => ({ chunkId: aChunk(number), score: 1 / number }));

/** A catalog with these documents in the deployment scope, and one of another team. */
const aWorld = async (count: number): Promise<SearchWorld> => {
  const world = new SearchWorld();
  for (let number = 1; number <= count; number++) await world.add(number, `text ${number}`);
  await world.add(99, 'text of another team', { scope: 'team:blue', knowledgeBase: 'blue' });
  return world;
};

/** Counts the chunks that are looked up. */
const counting = ({ catalog }: SearchWorld) => {
  const asked: ChunkId[] = [];
  const reading = {
    visible: async (scopes: Parameters<typeof catalog.visible>[0], ids: readonly ChunkId[]) => (
      asked.push(...ids),
      catalog.visible(scopes, ids)
    ),
    chunks: (scopes: Parameters<typeof catalog.chunks>[0], ids: readonly ChunkId[]) => catalog.chunks(scopes, ids),
  };
  return { asked, reading };
};

describe('The visibility filter of a search', () => {
  it('shows what the catalog shows in the permitted scopes, and nothing that was not looked up', async () => {
    const world = await aWorld(2);
    await world.hide(2);
    const filter = new VisibilityFilter(world.catalog, permitted('deployment', 'team:red'));
    await filter.lookUp([aChunk(1), aChunk(2), aChunk(99), aChunk(1234)]);
    expect([1, 2, 99, 1234, 3].map((number) => filter.has(aChunk(number)))).toEqual([true, false, false, false, false]);
  });

  it('looks up each chunk once', async () => {
    const { asked, reading } = counting(await aWorld(2));
    const filter = new VisibilityFilter(reading, permitted('deployment'));
    await filter.lookUp([aChunk(1), aChunk(7)]);
    await filter.lookUp([aChunk(7), aChunk(1), aChunk(2)]);
    expect(asked).toEqual([aChunk(1), aChunk(7), aChunk(2)]);
  });

  it('reads the data of hits in their order, without those that were removed meanwhile', async () => {
    const world = await aWorld(3);
    const filter = new VisibilityFilter(world.catalog, permitted('deployment'));
    await filter.lookUp([3, 2, 1].map(aChunk));
    await world.hide(2);
    const found = await filter.of(hits(3, 2, 1, 99));
    expect(found.map(([hit, chunk]) => [hit.chunkId, chunk.title])).toEqual([
      [aChunk(3), 'Document 3'],
      [aChunk(1), 'Document 1'],
    ]);
  });

  describe('asks the index for more candidates', () => {
    const search = async (world: SearchWorld, wanted: number, inIndex: readonly number[]) => {
      const asked: number[] = [];
      const found = await visibleCandidates(wanted, new VisibilityFilter(world.catalog, permitted('deployment')), async (k) => {
        asked.push(k);
        return hits(...inIndex).slice(0, k);
      });
      return { asked, found: found.map(({ chunkId }) => chunkId) };
    };

    it('while too few of them are visible', async () => {
      const world = await aWorld(4);
      for (const hidden of [1, 2]) await world.hide(hidden);
      expect(await search(world, 2, [1, 2, 3, 4, 50, 51, 52, 53])).toEqual({ asked: [2, 8], found: [aChunk(3), aChunk(4)] });
    });
    it('but not when enough are visible, or the index has no more', async () => {
      const world = await aWorld(3);
      expect(await search(world, 2, [3, 2, 1])).toEqual({ asked: [2], found: [aChunk(3), aChunk(2)] });
      expect(await search(world, 9, [3, 50])).toEqual({ asked: [9], found: [aChunk(3)] });
    });
    it('and never for more than 1,000', async () => {
      const hidden = Array.from({ length: 2_000 }, (_, i) => 1_000 + i);
      expect(await search(await aWorld(1), 300, hidden)).toEqual({ asked: [300, 1_000], found: [] });
    });
  });
});
