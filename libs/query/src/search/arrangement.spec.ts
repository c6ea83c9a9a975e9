import { InvalidValue } from '@palimpsest/knowledge/errors';
import { aChunk, aChunkOf, aDocument, reader, SearchWorld } from '../../test/search-world.ts';
import { searchRequest } from './search-request.ts';
import { recordedArrangement } from './arrangement.ts';
import { runSearch } from '../pipeline/run-search.ts';
import { searchStages } from '../pipeline/search-stages.ts';

const SPARSE = { query: 'espresso', strategy: 'SparseOnly' };
const COPY = 'espresso is brewed with hot water under pressure, and each cup takes half a minute to fill.';

const search = (world: SearchWorld, request: object) =>
  runSearch(searchStages(world.ports), { request: searchRequest({ ...SPARSE, ...request }), access: reader(), view: world.view });
const found = async (...given: Parameters<typeof search>) => (await search(...given)).hits.map(({ chunkId }) => chunkId);
const stagesOf = async (...given: Parameters<typeof search>) => (await search(...given)).timings.stages.map(({ stage }) => stage);

describe('Collapsing near-identical passages', () => {
  const withCopies = async (copies: number): Promise<SearchWorld> => {
    const world = new SearchWorld();
    for (let n = 1; n <= copies; n++) await world.add(n, n % 2 === 0 ? COPY : COPY.replace('pressure,', 'Pressure'));
    await world.add(901, 'a longer text, in which the word espresso is only one of many other words without any meaning here');
    await world.add(
      902,
      'an even longer text, in which the word espresso is only one of many other words that are not asked for by any of the callers',
    );
    return world;
  };

  it('keeps the best one with the others counted, and lets other passages move up', async () => {
    const world = await withCopies(4);
    expect(await found(world, { topK: 3 })).toEqual([1, 2, 3].map((n) => aChunk(n)));
    const { hits } = await search(world, { topK: 3, collapse: true, explain: true });
    expect(hits.map(({ chunkId, rank }) => [chunkId, rank])).toEqual([
      [aChunk(1), 1],
      [aChunk(901), 2],
      [aChunk(902), 3],
    ]);
    expect(hits[0]?.similar).toEqual({ count: 3, passages: [2, 3, 4].map((n) => ({ chunkId: aChunk(n), documentId: aDocument(n) })) });
    expect(hits[1]).not.toHaveProperty('similar');
    expect(hits[0]?.explain?.stages['collapse']).toEqual({ rank: 1, score: hits[0]?.score, note: 'stands for 3 more passages like it' });
    expect(hits[1]?.explain?.stages).toMatchObject({ fuse: { rank: 5 }, collapse: { rank: 2 } });
  });

  it('looks further than usual while copies fill the candidates', async () => {
    const world = await withCopies(140);
    const { hits, candidates } = await search(world, { topK: 3, collapse: true });
    expect(hits.map(({ chunkId }) => chunkId)).toEqual([aChunk(1), aChunk(901), aChunk(902)]);
    expect(hits[0]?.similar).toMatchObject({ count: 139, passages: { length: 20 } });
    expect(candidates).toBe(400);
  });

  it('never counts what the caller may not read', async () => {
    const world = await withCopies(2);
    await world.add(50, COPY, { scope: 'team:blue', knowledgeBase: 'blue' });
    expect((await search(world, { collapse: true })).hits[0]?.similar?.count).toBe(1);
  });

  it('neither runs nor looks further unless asked', async () => {
    const world = await withCopies(140);
    expect(await stagesOf(world, {})).not.toContain('collapse');
    expect((await search(world, { collapse: false, topK: 100 })).candidates).toBe(400);
    expect((await search(world, { topK: 3 })).candidates).toBe(100);
  });
});

describe('Grouping by document', () => {
  const aShelf = async (): Promise<SearchWorld> => {
    const world = new SearchWorld();
    await world.add(1, [
      'espresso',
      'espresso and a word',
      'espresso with more words than that',
      'espresso with yet a few more words than that',
    ]);
    await world.add(2, ['espresso or not', 'tea']);
    await world.add(3, 'espresso is one word of rather many words in this one');
    return world;
  };

  it('puts the passages of a document next to each other, at most as many as asked for', async () => {
    const world = await aShelf();
    const ungrouped = await found(world, {});
    expect(ungrouped.indexOf(aChunk(2))).toBeLessThan(ungrouped.indexOf(aChunkOf(1, 2)));
    expect(await found(world, { groupBy: 'document' })).toEqual([aChunk(1), aChunkOf(1, 1), aChunkOf(1, 2), aChunk(2), aChunk(3)]);
    expect(await found(world, { groupBy: 'document', perGroup: 1 })).toEqual([aChunk(1), aChunk(2), aChunk(3)]);
    expect(await found(world, { groupBy: 'document', perGroup: 20, topK: 5 })).toEqual([
      ...[0, 1, 2, 3].map((index) => aChunkOf(1, index)),
      aChunk(2),
    ]);
  });

  it('explains where a passage was, and how many were left out', async () => {
    const { hits } = await search(await aShelf(), { groupBy: 'document', perGroup: 3, explain: true });
    expect(hits.map(({ explain }) => explain?.stages['group']?.note)).toEqual([
      'best of 4 passages of its document, of which 3 are kept',
      expect.stringMatching(/^rank \d before, next to a better passage of its document$/),
      'rank 4 before, next to a better passage of its document',
      'best of 1 passage of its document',
      'best of 1 passage of its document',
    ]);
  });

  it('looks further than usual while one document fills the candidates', async () => {
    const world = new SearchWorld();
    await world.add(
      1,
      Array.from({ length: 120 }, (_, i) => `espresso ${i}`),
    );
    await world.add(2, 'espresso is one word of rather many words in this one');
    expect(await found(world, { groupBy: 'document', perGroup: 1, topK: 2 })).toEqual([aChunk(1), aChunk(2)]);
  });

  it('needs groups for their size', () => {
    expect(() => searchRequest({ ...SPARSE, perGroup: 2 })).toThrow(new InvalidValue('perGroup', 'only together with groupBy', 2).message);
  });
});

describe('Diversity', () => {
  const aLibrary = async (): Promise<SearchWorld> => {
    const world = new SearchWorld();
    await world.add(1, 'espresso machines push hot water through ground beans');
    await world.add(2, 'espresso machines push some hot water through ground beans');
    await world.add(3, 'the price of an espresso in a bar rose again in this year');
    return world;
  };

  it('moves what repeats a better hit behind what says something else', async () => {
    const world = await aLibrary();
    expect(await found(world, {})).toEqual([aChunk(1), aChunk(2), aChunk(3)]);
    expect(await found(world, { diversity: 0.7 })).toEqual([aChunk(1), aChunk(3), aChunk(2)]);
    expect(await found(world, { diversity: 0.7, topK: 2 })).toEqual([aChunk(1), aChunk(3)]);
  });

  it('keeps the scores of the hits, and explains its own', async () => {
    const world = await aLibrary();
    const [first, second, third] = (await search(world, { diversity: 0.7, explain: true })).hits;
    expect(first?.explain?.stages['diversify']).toMatchObject({ rank: 1, note: 'rank 1 before, relevance 1.000' });
    expect(second).toMatchObject({
      score: second?.explain?.stages['fuse']?.score,
      explain: { stages: { fuse: { rank: 3 }, diversify: { rank: 2 } } },
    });
    expect(third?.explain?.stages['diversify']?.note).toMatch(
      new RegExp(`^rank 2 before, relevance 0\\.\\d+, similarity 0\\.\\d+ to ${aChunk(1)}$`),
    );
  });

  it('does not run unless asked', async () => {
    const world = await aLibrary();
    expect(await stagesOf(world, { diversity: 0 })).toEqual(await stagesOf(world, {}));
    expect(await stagesOf(world, { diversity: 0.1 })).toContain('diversify');
  });
});

describe('The record of an arrangement', () => {
  it('holds what was asked for, with defaults, and is missing if that is nothing', () => {
    expect(recordedArrangement(searchRequest({ ...SPARSE, collapse: true, groupBy: 'document', diversity: 0.3 }))).toEqual({
      arrangement: { collapse: true, groupBy: 'document', perGroup: 3, diversity: 0.3 },
    });
    for (const nothing of [{}, { collapse: false, diversity: 0 }])
      expect(recordedArrangement(searchRequest({ ...SPARSE, ...nothing }))).toEqual({});
  });
});
