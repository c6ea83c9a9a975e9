import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { aChunk, reader, SearchWorld } from '../../test/search-world.ts';
import { searchRequest } from '../search/search-request.ts';
import { runSearch } from './run-search.ts';
import { searchStages } from './search-stages.ts';

const TEXTS = ['chunks need retrieval', 'retrieval needs vectors', 'vectors need a sector', 'trees grow slowly'];

const aLibrary = async (texts: readonly string[] = TEXTS): Promise<SearchWorld> => {
  const world = new SearchWorld();
  for (const [i, text] of texts.entries()) await world.add(i + 1, text);
  return world;
};

const search = (world: SearchWorld, query: object, access = reader()) =>
  runSearch(searchStages(world.ports), {
    request: searchRequest({ strategy: 'SparseOnly', topK: 20, ...query }),
    access,
    view: world.view,
  });
const found = async (world: SearchWorld, query: object) => (await search(world, query)).hits.map(({ chunkId }) => chunkId).sort();
const corrected = async (world: SearchWorld, query: object, access = reader()) =>
  ((await search(world, query, access)).corrections ?? []).map(({ from, to }) => `${from} ${to}`);

/** How many words the index was asked for. */
const counting = (world: SearchWorld) => {
  const asked: number[] = [];
  const { lexical } = world.view;
  const view = {
    ...world.view,
    lexical: {
      search: lexical.search.bind(lexical),
      spread: lexical.spread.bind(lexical),
      select: lexical.select.bind(lexical),
      frequencies: async (...[partition, words]: Parameters<typeof lexical.frequencies>) => {
        asked.push(words.length);
        return lexical.frequencies(partition, words);
      },
    },
  };
  const ask = (query: string) =>
    runSearch(searchStages(world.ports), { request: searchRequest({ strategy: 'SparseOnly', query }), access: reader(), view });
  return { asked, ask };
};

describe('Correction of spelling', () => {
  it('searches a word that no passage has as the one that it probably is, and says so', async () => {
    const { hits, corrections, timings } = await search(await aLibrary(), { query: 'Retreival', explain: true });
    expect(hits.map(({ chunkId }) => chunkId).sort()).toEqual([aChunk(1), aChunk(2)]);
    expect(corrections).toEqual([{ from: 'Retreival', to: 'retrieval', chunks: 2 }]);
    expect(hits[0]?.explain?.lexical?.terms).toEqual(['retrieval']);
    expect(timings.stages.find(({ stage }) => stage === 'spelling')).toMatchObject({ candidates: 1 });
  });

  it('scores as a search for the right word does', async () => {
    const world = await aLibrary();
    for (const strategy of ['SparseOnly', 'DenseSparseHybrid']) {
      const ranked = async (query: string) => (await search(world, { query, strategy })).hits.map(({ chunkId }) => chunkId);
      expect(new Set(await ranked('retreival'))).toEqual(new Set(await ranked('retrieval')));
    }
    const scores = async (query: string) => (await search(world, { query })).hits.map(({ chunkId, score }) => [chunkId, score]);
    expect(await scores('vecotrs need')).toEqual(await scores('vectors need'));
  });

  it('chooses the most frequent word', async () => {
    const world = await aLibrary(['sector', 'vector', 'vector']);
    expect(await corrected(world, { query: 'tector' })).toEqual(['tector vector']);
  });

  it('never corrects a word that a passage has', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 5, maxLength: 6 }), { minLength: 1, maxLength: 6 }),
        fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 5, maxLength: 6 }),
        async (words, other) => {
          const world = await aLibrary(words);
          for (const query of words) expect(await corrected(world, { query })).toEqual([]);
          const [correction] = (await search(world, { query: other })).corrections ?? [];
          if (correction !== undefined) expect([words.includes(other), words.includes(correction.to)]).toEqual([false, true]);
        },
      ),
      { numRuns: 30 },
    ));

  it('is off on request, and compares no words of a search by vectors', async () => {
    const world = await aLibrary();
    expect(await found(world, { query: 'retreival', spelling: false })).toEqual([]);
    const { corrections, timings } = await search(world, { query: 'retreival', strategy: 'DenseOnly' });
    expect([corrections, timings.stages.some(({ stage }) => stage === 'spelling')]).toEqual([undefined, false]);
  });

  it('shows a key with required labels nothing of other documents', async () => {
    const world = await aLibrary();
    await world.add(9, 'salaries of people', { labels: { department: 'hr' } });
    expect(await corrected(world, { query: 'salareis' })).toEqual(['salareis salaries']);
    expect(await corrected(world, { query: 'salareis' }, reader({ requiredLabels: { department: ['it'] } }))).toEqual([]);
  });

  it('leaves words of terms as they are, and those that have synonyms', async () => {
    const world = await aLibrary();
    expect(await corrected(world, { query: 'vecotrs need', terms: { excluded: ['vecotrs'] } })).toEqual([]);
    await world.configure('handbook', { synonyms: ['vecotrs, trees'] });
    expect(await corrected(world, { query: 'vecotrs' })).toEqual([]);
    expect(await found(world, { query: 'vecotrs' })).toEqual([aChunk(4)]);
  });

  it('comes before synonyms', async () => {
    const world = await aLibrary();
    await world.configure('handbook', { synonyms: ['retrieval, trees'] });
    const { hits, synonyms } = await search(world, { query: 'retreival' });
    expect(hits.map(({ chunkId }) => chunkId).sort()).toEqual([aChunk(1), aChunk(2), aChunk(4)]);
    expect(synonyms).toEqual({ added: [{ word: 'retrieval', synonyms: ['trees'] }] });
  });

  it('takes a word that one of the searched scopes has as right', async () => {
    const world = await aLibrary();
    await world.add(9, 'retreival', { scope: 'team:red', knowledgeBase: 'red' });
    const access = reader({ teams: ['red'] });
    expect(await corrected(world, { query: 'retreival' }, access)).toEqual([]);
    expect(await corrected(world, { query: 'retreival', scopes: ['deployment'] }, access)).toEqual(['retreival retrieval']);
  });

  it('leaves a query in another language as it is', async () => {
    const world = await aLibrary();
    expect(await corrected(world, { query: 'retrievel vektors growl' })).toEqual([]);
    expect(await corrected(world, { query: 'retrievel vectirs' })).toEqual(['retrievel retrieval', 'vectirs vectors']);
  });

  it('looks up a bounded number of words of a hostile query', async () => {
    const { asked, ask } = counting(await aLibrary());
    const garbage = (count: number) =>
      Array.from({ length: count }, (_, i) => `q${'xyzw'.charAt(i % 4)}${i.toString(26).replaceAll(/\d/g, 'k')}kkk`);
    await ask(garbage(600).join(' ').slice(0, 4_000));
    expect(asked).toEqual([32]);
    asked.length = 0;
    await ask(
      ['chunks need retrieval needs vectors a sector trees grow slowly', ...['aaaaa', 'bbbbb', 'ccccc', 'ddddd', 'eeeee', 'fffff']].join(
        ' ',
      ),
    );
    expect(asked).toHaveLength(4);
    expect(asked.slice(1).reduce((sum, words) => sum + words, 0)).toBeLessThanOrEqual(1_000);
    asked.length = 0;
    await ask('qwertyuiopasdfghjklzxc');
    expect(asked).toEqual([1]);
    for (const hostile of ['🦀', 'a'.repeat(4_000), '?!', '-'.repeat(4_000), '.a'.repeat(2_000)]) {
      asked.length = 0;
      expect((await ask(hostile)).corrections).toBeUndefined();
      expect(asked).toEqual([]);
    }
  });
});
