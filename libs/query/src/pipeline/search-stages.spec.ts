import { IsolationBreach, type Access } from '@palimpsest/knowledge/access';
import { EmbeddingModelMismatch, NotFound, Unavailable } from '@palimpsest/knowledge/errors';
import { embeddingVersion, tenantId, vectorScope } from '@palimpsest/knowledge/values';
import { aFakeEmbeddingProvider } from '@palimpsest/test-kit';
import { aChunk, reader, SearchWorld } from '../../test/search-world.ts';
import { isMiss } from '../search/retrieval-miss.ts';
import { searchRequest } from '../search/search-request.ts';
import { Background } from './background.ts';
import { embedQuery } from './embed-query.ts';
import { fuse } from './fuse.ts';
import { highlight } from './highlight.ts';
import { openTexts } from './open-texts.ts';
import { rankedIn } from './ranked-hit.ts';
import { resolveTargets } from './resolve-targets.ts';
import { retrieveDense } from './retrieve-dense.ts';
import { retrieveLexical } from './retrieve-lexical.ts';
import { runSearch } from './run-search.ts';
import { searchStages, type SearchStages } from './search-stages.ts';
import type { Opened, SearchStart } from './search-state.ts';
import { StageList } from './stage-list.ts';
import type { Stage } from './stage.ts';

const LIBRARY = [
  'espresso is brewed with hot water',
  'green tea leaves steep in hot water',
  'a locomotive burns coal',
  'espresso machines need clean water',
];

const aLibrary = async (texts = LIBRARY): Promise<SearchWorld> => {
  const world = new SearchWorld();
  for (const [i, text] of texts.entries()) await world.add(i + 1, text);
  return world;
};

const search = (world: SearchWorld, query: object, access: Access = reader(), stages = searchStages(world.ports)) =>
  runSearch(stages, { request: searchRequest(query), access, view: world.view });
const found = async (...given: Parameters<typeof search>) => (await search(...given)).hits.map(({ chunkId }) => chunkId);

describe('The stages of a search', () => {
  let library: SearchWorld;
  beforeAll(async () => (library = await aLibrary()));

  it.each([
    ['DenseSparseHybrid', ['authorise', 'dense', 'embed', 'fuse', 'lexical', 'snippets', 'spelling', 'texts']],
    ['DenseOnly', ['authorise', 'dense', 'embed', 'fuse', 'snippets', 'texts']],
    ['SparseOnly', ['authorise', 'fuse', 'lexical', 'snippets', 'spelling', 'texts']],
  ])('find the passages that match best by %s, and time what they did', async (strategy, stages) => {
    const { hits, timings, pool } = await search(library, { query: 'espresso water', strategy, topK: 2 });
    expect(hits.map(({ chunkId, rank }) => [chunkId, rank])).toEqual([
      [aChunk(4), 1],
      [aChunk(1), 2],
    ]);
    expect(hits[0]).toMatchObject({
      title: 'Document 4',
      citation: 'Document 4, Chunk 1 of 1',
      text: LIBRARY[3],
      knowledgeBase: 'handbook',
      scope: 'deployment',
      source: 'doc-4.txt',
    });
    expect(timings.stages.map(({ stage }) => stage).sort()).toEqual(stages);
    expect(timings.stages.find(({ stage }) => stage === 'snippets')).toMatchObject({ candidates: 2 });
    expect(pool).toBeGreaterThan(2);
  });

  it.each(['DenseSparseHybrid', 'DenseOnly', 'SparseOnly'])(
    'give each hit a relevance that other fusions do not change: %s',
    async (strategy) => {
      const relevances = async (fusion: string) => {
        const { hits } = await search(library, { query: 'espresso water', strategy, fusion });
        return Object.fromEntries(hits.map(({ chunkId, relevance }) => [chunkId, relevance]));
      };
      const first = await relevances('zscore');
      expect(first[aChunk(4)]).toBeGreaterThan(Math.max(0.2, first[aChunk(3)] ?? 0));
      for (const fusion of ['rrf', 'weighted', 'simple']) expect(await relevances(fusion)).toEqual(first);
    },
  );

  it.each(['DenseSparseHybrid', 'DenseOnly', 'SparseOnly'])(
    'leave out what is less relevant than the caller wants: %s',
    async (strategy) => {
      const { hits } = await search(library, { query: 'espresso water', strategy });
      const minRelevance = hits[1]?.relevance ?? 1;
      const kept = await search(library, { query: 'espresso water', strategy, minRelevance });
      expect(kept.hits.map(({ chunkId }) => chunkId)).toEqual(
        hits.filter(({ relevance }) => relevance >= minRelevance).map(({ chunkId }) => chunkId),
      );
      expect(kept.hits.length).toBeLessThan(hits.length);
    },
  );

  it('tell a passage that fits from one that does not, even if it is the only one of its scope', async () => {
    const lone = await aLibrary(['espresso is brewed with hot water']);
    const relevanceOf = async (query: string) => (await search(lone, { query, explain: true })).hits[0];
    const fitting = await relevanceOf('how is espresso brewed with hot water?');
    const other = await relevanceOf('espresso and the taxes of Peruvian railway bonds');
    expect(isMiss(fitting === undefined ? [] : [fitting])).toBe(false);
    expect(isMiss(other === undefined ? [] : [other])).toBe(true);
    expect(fitting?.explain?.relevance).toEqual({ standing: expect.any(Number), share: expect.any(Number) });
  });

  it('explain the rank and score of a hit in each stage', async () => {
    const [first, second] = (await search(library, { query: 'espresso water', explain: true })).hits;
    expect(first?.explain?.stages).toEqual({
      dense: { rank: 1, score: expect.any(Number) },
      lexical: { rank: 1, score: expect.any(Number) },
      fuse: { rank: 1, score: first?.score },
    });
    expect(first?.explain).toMatchObject({
      dense: first?.explain?.stages['dense'],
      lexical: { rank: 1, terms: ['espresso', 'water'] },
      fusion: { value: first?.score },
    });
    expect(second?.explain?.stages['fuse']).toEqual({ rank: 2, score: second?.score });
    expect(first?.explain).not.toHaveProperty('skipped');
    expect((await search(library, { query: 'espresso' })).hits[0]).not.toHaveProperty('explain');
  });

  it('highlight the words that matched', async () => {
    const { text = '', highlights = [] } = (await search(library, { query: 'coal', strategy: 'SparseOnly' })).hits[0]?.snippet ?? {};
    expect(highlights.map(([start, end]) => text.slice(start, end))).toEqual(['coal']);
  });

  it('drop what is less similar than requested', async () => {
    const { hits } = await search(library, { query: 'espresso water', strategy: 'DenseOnly' });
    const [, second = hits[0]] = hits;
    expect(await found(library, { query: 'espresso water', strategy: 'DenseOnly', minScore: second?.score })).toEqual(
      hits.slice(0, 2).map(({ chunkId }) => chunkId),
    );
  });

  it('return what the caller may read, and refuse names of anything else as unknown', async () => {
    const world = await aLibrary();
    await world.add(10, 'espresso of the red team', { scope: 'team:red', knowledgeBase: 'red' });
    await world.add(11, 'espresso of the blue team', { scope: 'team:blue', knowledgeBase: 'blue' });
    await world.add(12, 'espresso of another tenant', { tenant: tenantId('other') });
    const hits = await found(world, { query: 'espresso', strategy: 'SparseOnly' });
    expect([...hits].sort()).toEqual([1, 4, 10].map(aChunk));
    expect(await found(world, { query: 'espresso', strategy: 'SparseOnly', knowledgeBases: ['red'] })).toEqual([aChunk(10)]);
    for (const named of [{ scopes: ['team:blue'] }, { knowledgeBases: ['blue'] }, { scopes: ['team:none'] }])
      await expect(search(world, { query: 'espresso', ...named })).rejects.toThrow(NotFound);
  });

  it('return nothing, and embed nothing, where no scope has data', async () => {
    const world = new SearchWorld();
    const { hits, timings, targets } = await search(world, { query: 'espresso' });
    expect([hits, targets.searchable, world.model.calls]).toEqual([[], [], []]);
    expect(timings.stages.map(({ stage }) => stage)).toEqual(['authorise', 'fuse', 'texts', 'snippets']);
  });

  it('let the next candidate move up when a chunk is removed during the search', async () => {
    const world = await aLibrary();
    const removing: Stage<object, object> = { name: 'removing', run: async () => (await world.hide(4), {}), count: () => 0 };
    const stages = StageList.startingWith<SearchStart>()
      .next(resolveTargets)
      .parallel(
        (branch) => branch.next(embedQuery(world.providers, world.background)).next(retrieveDense),
        (branch) => branch.next(retrieveLexical),
      )
      .next(fuse(world.providers))
      .next(removing)
      .next(openTexts(world.keys))
      .next(highlight);
    expect(await found(world, { query: 'espresso water', topK: 2 }, reader(), stages)).toEqual([aChunk(1), aChunk(2)]);
  });

  it('find the same on a view with the same data, and something else on another one', async () => {
    const [again, later] = [await aLibrary(), await aLibrary([...LIBRARY, 'espresso water'])];
    const request = { query: 'espresso water', topK: 1 };
    const { hits: first } = await search(library, request);
    expect((await search(again, request)).hits).toEqual(first);
    expect(await found(later, request)).toEqual([aChunk(5)]);
  });

  it('refuse to search a view that does not serve, before or after', async () => {
    const world = await aLibrary();
    const stages: SearchStages = {
      run: async (...given) => {
        const outcome = await searchStages(world.ports).run(...given);
        world.serving = false;
        return outcome;
      },
    };
    await expect(search(world, { query: 'espresso' }, reader(), stages)).rejects.toThrow(Unavailable);
    await expect(search(world, { query: 'espresso' })).rejects.toThrow(Unavailable);
  });

  describe('of two scopes with different models', () => {
    const another = aFakeEmbeddingProvider({ version: embeddingVersion('fake:another/32') });
    const scopes = ['deployment', 'team:red', 'team:blue'];
    const access = reader({ teams: ['red', 'blue'] });
    /** One scope has the model of the world, two have the other one. */
    const twoModels = async () => {
      const world = await aLibrary();
      await world.add(11, 'espresso needs pressure', { scope: 'team:red', model: another });
      await world.add(12, 'tea needs patience', { scope: 'team:red', model: another });
      await world.add(13, 'espresso cups are small', { scope: 'team:blue', model: another });
      return world;
    };

    it('embed the query once with each model', async () => {
      const world = await twoModels();
      world.configured = [world.model, another];
      const queries = () => world.configured.map(({ calls }) => calls.filter(({ kind }) => kind === 'query').length);
      const before = queries();
      const { hits, lexicalOnly } = await search(world, { query: 'espresso', scopes, topK: 10 }, access);
      expect(queries().map((count, i) => count - (before[i] ?? 0))).toEqual([1, 1]);
      expect(hits.map(({ chunkId }) => chunkId)).toEqual(expect.arrayContaining([aChunk(1), aChunk(4), aChunk(11), aChunk(13)]));
      expect(lexicalOnly).toEqual([]);
    });

    it('search a scope whose model is missing by words, and report it', async () => {
      const world = await twoModels();
      const { hits, lexicalOnly, denseWeights } = await search(world, { query: 'espresso', scopes, topK: 10, explain: true }, access);
      expect(lexicalOnly.map(({ scope: { scope }, embeddingVersion: version }) => [scope, version])).toEqual([
        ['team:blue', another.version],
        ['team:red', another.version],
      ]);
      expect(denseWeights).toEqual([expect.any(Number), 0, 0]);
      expect(denseWeights[0]).toBeGreaterThan(0);
      const found = new Map(hits.map(({ chunkId, explain }) => [chunkId, explain]));
      for (const number of [11, 13]) expect(found.get(aChunk(number))).not.toHaveProperty('dense');
      expect(found.get(aChunk(1))?.dense?.rank).toBeGreaterThan(0);
    });

    it('rank by words alone as a search by words does, when no model is there', async () => {
      const world = await twoModels();
      world.configured = [];
      const request = { query: 'espresso needs water', scopes, topK: 10 };
      const byWords = await found(world, { ...request, strategy: 'SparseOnly' }, access);
      expect(byWords.length).toBeGreaterThan(2);
      expect(await found(world, request, access)).toEqual(byWords);
      expect((await search(world, { ...request, strategy: 'SparseOnly' }, access)).lexicalOnly).toEqual([]);
    });

    it('refuse a search by vectors only when one of the models is missing', async () => {
      const world = await twoModels();
      const request = { query: 'espresso', strategy: 'DenseOnly' };
      await expect(search(world, { ...request, scopes }, access)).rejects.toThrow(EmbeddingModelMismatch);
      expect(await found(world, { ...request, scopes: ['deployment'], topK: 2 }, access)).toEqual([aChunk(4), aChunk(1)]);
    });
  });

  it('refuse the whole response when a store returns what the caller may not see', async () => {
    const world = await aLibrary();
    const leaking = world.catalog.chunks.bind(world.catalog);
    world.catalog.chunks = async (...given) => (await leaking(...given)).map((chunk) => ({ ...chunk, scope: vectorScope('team:blue') }));
    await expect(search(world, { query: 'espresso' })).rejects.toThrow(IsolationBreach);
  });
});

describe('A stage that chooses among the opened hits', () => {
  /** Longest text first. */
  const longest: Stage<Opened, Opened> = {
    name: 'longest',
    run: ({ opened }) => ({
      opened: rankedIn(
        'longest',
        opened.map((hit) => ({ ...hit, score: hit.text.text.length })).sort((a, b) => b.score - a.score),
      ),
    }),
    count: ({ opened }) => opened.length,
  };
  const withStage = ({ providers, keys }: SearchWorld, stage: Stage<Opened, Opened>) =>
    StageList.startingWith<SearchStart>()
      .next(resolveTargets)
      .parallel(
        (branch) => branch.next(embedQuery(providers, new Background())).next(retrieveDense),
        (branch) => branch.next(retrieveLexical),
      )
      .next(fuse(providers))
      .next(openTexts(keys, ({ topK }) => 4 * topK))
      .next(stage)
      .next(highlight);

  it('orders them, and its ranks are explained next to those of the other stages', async () => {
    const world = await aLibrary();
    const { hits, timings } = await search(world, { query: 'espresso water', topK: 1, explain: true }, reader(), withStage(world, longest));
    expect(hits).toMatchObject([
      {
        chunkId: aChunk(2),
        rank: 1,
        score: LIBRARY[1]?.length,
        explain: { stages: { fuse: { rank: 3 }, longest: { rank: 1, score: LIBRARY[1]?.length } } },
      },
    ]);
    expect(timings.stages.map(({ stage, candidates }) => [stage, candidates]).slice(-3)).toEqual([
      ['texts', 4],
      ['longest', 4],
      ['snippets', 1],
    ]);
  });

  it('is skipped when it exceeds its budget, and the hits say so', async () => {
    const world = await aLibrary();
    const slow: Stage<Opened, Opened> = {
      ...longest,
      run: () => new Promise(() => undefined),
      budget: { ms: 1 },
      otherwise: ({ opened }) => ({ opened }),
    };
    const { hits, timings } = await search(world, { query: 'espresso water', topK: 1, explain: true }, reader(), withStage(world, slow));
    expect(hits).toMatchObject([{ chunkId: aChunk(4), explain: { skipped: { longest: 'took longer than 1 ms' } } }]);
    expect(hits[0]?.explain?.stages).not.toHaveProperty('longest');
    expect(timings.stages.find(({ stage }) => stage === 'longest')).toMatchObject({
      candidates: 4,
      note: 'skipped: took longer than 1 ms',
    });
  });
});
