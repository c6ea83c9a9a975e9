import { aChunk, reader, SearchWorld } from '../../test/search-world.ts';
import { runSearch } from '../pipeline/run-search.ts';
import { searchStages } from '../pipeline/search-stages.ts';
import { searchRequest } from './search-request.ts';

const LIBRARY = [
  'espresso is brewed with hot water',
  'green tea leaves steep in hot water',
  'a locomotive burns coal',
  'water so hot that tea leaves turn bitter',
];

const aLibrary = async (texts = LIBRARY): Promise<SearchWorld> => {
  const world = new SearchWorld();
  for (const [i, text] of texts.entries()) await world.add(i + 1, text);
  return world;
};

const search = (world: SearchWorld, request: object) =>
  runSearch(searchStages(world.ports), {
    request: searchRequest({ query: 'hot espresso', ...request }),
    access: reader({ teams: ['*'] }),
    view: world.view,
  });
const found = async (...given: Parameters<typeof search>) => (await search(...given)).hits.map(({ chunkId }) => chunkId).sort();

describe.each(['DenseSparseHybrid', 'DenseOnly', 'SparseOnly'])('The terms of a search by %s', (strategy) => {
  let library: SearchWorld;
  beforeAll(async () => (library = await aLibrary()));

  it('limit its results to passages with all required words', async () => {
    expect(await found(library, { strategy, topK: 1, terms: { required: ['leaves'] } })).toHaveLength(1);
    expect(await found(library, { strategy, terms: { required: ['leaves'] } })).toEqual([aChunk(2), aChunk(4)]);
    expect(await found(library, { strategy, terms: { required: ['leaves', 'bitter'] } })).toEqual([aChunk(4)]);
    expect(await found(library, { strategy, terms: { required: ['volcano'] } })).toEqual([]);
  });

  it('leave out passages with an excluded word', async () => {
    const without = await found(library, { strategy, terms: { excluded: ['leaves', 'coal'] } });
    expect(without).toEqual([aChunk(1)]);
    expect(await found(library, { strategy, terms: { required: ['hot'], excluded: ['espresso'] } })).toEqual([aChunk(2), aChunk(4)]);
  });

  it('keep passages with the words of a phrase in their order', async () => {
    expect(await found(library, { strategy, terms: { phrases: ['hot water'] } })).toEqual([aChunk(1), aChunk(2)]);
    expect(await found(library, { strategy, terms: { phrases: ['hot water', 'tea leaves'] } })).toEqual([aChunk(2)]);
  });

  it('do not lose a passage with the phrase behind many that have its words in another order', async () => {
    const world = await aLibrary([
      ...Array.from({ length: 140 }, () => 'espresso so water is hot'),
      'espresso with rather hot water and much more',
    ]);
    const { hits, candidates } = await search(world, { strategy, topK: 1, terms: { phrases: ['hot water'] } });
    expect([hits.map(({ chunkId }) => chunkId), candidates]).toEqual([[aChunk(141)], 400]);
  });

  it('limit both searches before they select their best', async () => {
    const world = await aLibrary([...Array.from({ length: 140 }, () => 'hot espresso'), 'a locomotive burns hot coal']);
    const { hits, candidates } = await search(world, { strategy, topK: 1, terms: { required: ['coal'] } });
    expect([hits.map(({ chunkId }) => chunkId), candidates]).toEqual([[aChunk(141)], 100]);
  });
});

describe('The terms of a search', () => {
  it('limit each scope, and say how many chunks they leave', async () => {
    const world = await aLibrary();
    await world.add(5, 'hot tea', { scope: 'team:blue', knowledgeBase: 'blue' });
    await world.add(6, 'cold tea', { scope: 'team:blue', knowledgeBase: 'blue' });
    const { hits, timings } = await search(world, { terms: { required: ['tea', 'hot'] } });
    expect(hits.map(({ chunkId }) => chunkId).sort()).toEqual([aChunk(2), aChunk(4), aChunk(5)]);
    expect(timings.stages).toContainEqual({ stage: 'terms', ms: expect.any(Number), candidates: 3 });
  });

  it('are combined with a filter', async () => {
    const world = await aLibrary();
    await world.add(5, 'hot tea', { labels: { team: 'blue' } });
    const filter = { eq: { field: 'label.team', value: 'blue' } };
    expect(await found(world, { filter, terms: { required: ['tea'] } })).toEqual([aChunk(5)]);
    expect(await found(world, { filter, terms: { excluded: ['tea'] } })).toEqual([]);
  });

  it('cost nothing if there are none', async () => {
    for (const terms of [undefined, {}, { required: [], phrases: [] }]) {
      const { timings } = await search(await aLibrary(), terms === undefined ? {} : { terms });
      expect(timings.stages.map(({ stage }) => stage)).not.toContain('terms');
    }
  });

  it('name entries that no index knows, once', async () => {
    const world = await aLibrary();
    const { lexical } = world.view;
    const view = {
      ...world.view,
      lexical: {
        search: lexical.search.bind(lexical),
        spread: lexical.spread.bind(lexical),
        frequencies: lexical.frequencies.bind(lexical),
        // As an index with stop words.
        select: async (...[partition, { required, excluded }, text]: Parameters<typeof lexical.select>) => ({
          ...(await lexical.select(partition, { required: required.filter((entry) => entry !== 'the'), excluded }, text)),
          ignored: ['the'],
        }),
      },
    };
    const asked = (terms: object) =>
      runSearch(searchStages(world.ports), { request: searchRequest({ query: 'hot', terms }), access: reader(), view });
    expect((await asked({ required: ['the', 'tea'], excluded: ['the'] })).ignoredTerms).toEqual(['the']);
    expect((await asked({ phrases: ['the'] })).ignoredTerms).toBeUndefined();
  });

  it.each([
    [{ required: ['ok', '?!'] }, /terms\.required\[1\]/],
    [{ excluded: [' '] }, /terms\.excluded\[0\]/],
    [{ phrases: ['…'] }, /terms\.phrases\[0\]/],
    [{ required: [''] }, /terms\.required\[0\]/],
    [{ required: ['x'.repeat(201)] }, /terms\.required\[0\]/],
    [{ required: Array.from({ length: 17 }, () => 'x') }, /terms\.required/],
    [{ wanted: ['x'] }, /terms/],
  ])('are refused: %j', (terms, message) => expect(() => searchRequest({ query: 'hot', terms })).toThrow(message));
});
