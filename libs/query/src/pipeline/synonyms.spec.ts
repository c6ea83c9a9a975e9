import { aChunk, reader, SearchWorld } from '../../test/search-world.ts';
import { searchRequest } from '../search/search-request.ts';
import { MAX_WORDINGS } from '../ranking/wordings.ts';
import { runSearch } from './run-search.ts';
import { searchStages } from './search-stages.ts';

/** Passages of the same length; the third has a word and its synonym. */
const TEXTS = ['sso needs work', 'federated identity needs', 'sso federated identity', 'trees grow slowly', 'bread needs time'];
const RULE = 'sso, federated identity';

const aLibrary = async (...synonyms: readonly string[]): Promise<SearchWorld> => {
  const world = new SearchWorld();
  for (const [i, text] of TEXTS.entries()) await world.add(i + 1, text);
  if (synonyms.length > 0) await world.configure('handbook', { synonyms });
  return world;
};

const search = (world: SearchWorld, query: object) =>
  runSearch(searchStages(world.ports), {
    request: searchRequest({ strategy: 'SparseOnly', topK: 20, ...query }),
    access: reader(),
    view: world.view,
  });
const scores = async (world: SearchWorld, query: object) =>
  (await search(world, query)).hits.map(({ chunkId, score }) => [chunkId, Number(score.toFixed(9))] as const);
const found = async (world: SearchWorld, query: object) => (await scores(world, query)).map(([chunkId]) => chunkId).sort();
const stagesOf = async (world: SearchWorld, query: object) => (await search(world, query)).timings.stages.map(({ stage }) => stage);

describe('Synonyms', () => {
  it('find passages that have only the synonym, as soon as the knowledge base has them', async () => {
    const world = await aLibrary();
    expect(await found(world, { query: 'sso' })).toEqual([aChunk(1), aChunk(3)]);
    await world.configure('handbook', { synonyms: [RULE] });
    const { hits, synonyms, timings } = await search(world, { query: 'sso', explain: true });
    expect(hits.map(({ chunkId }) => chunkId).sort()).toEqual([aChunk(1), aChunk(2), aChunk(3)]);
    expect(synonyms).toEqual({ added: [{ word: 'sso', synonyms: ['federated identity'] }] });
    expect(timings.stages.find(({ stage }) => stage === 'synonyms')).toMatchObject({ candidates: 1 });
    const { snippet, explain } = hits.find(({ chunkId }) => chunkId === aChunk(2)) ?? {};
    expect(snippet?.highlights.map(([start, end]) => snippet.text.slice(start, end))).toEqual(['federated', 'identity']);
    expect(explain?.lexical?.terms).toEqual(['federated', 'identity']);
  });

  it('weigh as much as the word, and count once in a passage that has both', async () => {
    const [[, first = 0] = [], ...others] = await scores(await aLibrary(RULE), { query: 'sso' });
    expect(first).toBeGreaterThan(0);
    expect(others.map(([, score]) => score)).toEqual([first, first]);
    // The scores of passages that have the word itself are those of the query alone.
    expect((await scores(await aLibrary(), { query: 'sso' }))[0]).toEqual([aChunk(1), first]);
  });

  it('leave other searches as they are', async () => {
    const [without, withRules] = [await aLibrary(), await aLibrary(RULE)];
    for (const strategy of ['SparseOnly', 'DenseSparseHybrid'])
      for (const query of ['trees', 'needs bread', 'nowhere', '?!'])
        expect(await scores(withRules, { query, strategy })).toEqual(await scores(without, { query, strategy }));
    expect(await search(withRules, { query: 'trees' })).not.toHaveProperty('synonyms');
    expect(await scores(withRules, { query: 'sso', strategy: 'DenseOnly' })).toEqual(
      await scores(without, { query: 'sso', strategy: 'DenseOnly' }),
    );
    expect(await stagesOf(withRules, { query: 'sso', strategy: 'DenseOnly' })).not.toContain('synonyms');
    expect(await stagesOf(without, { query: 'sso' })).not.toContain('synonyms');
  });

  it('are of each scope and of the searched knowledge bases', async () => {
    const world = await aLibrary();
    await world.add(10, 'login needs work', { scope: 'team:red', knowledgeBase: 'red' });
    await world.add(11, 'password needs work', { knowledgeBase: 'other' });
    await world.configure('red', { synonyms: ['sso => login'] });
    await world.configure('other', { synonyms: ['sso => password'] });
    const { hits, synonyms } = await search(world, { query: 'sso' });
    expect(hits.map(({ chunkId }) => chunkId).sort()).toEqual([aChunk(1), aChunk(3), aChunk(10), aChunk(11)]);
    expect(synonyms).toEqual({ added: [{ word: 'sso', synonyms: ['password', 'login'] }] });
    expect(await found(world, { query: 'sso', scopes: ['deployment'] })).toEqual([aChunk(1), aChunk(3), aChunk(11)]);
    expect(await found(world, { query: 'sso', knowledgeBases: ['handbook', 'red'] })).toEqual([aChunk(1), aChunk(3), aChunk(10)]);
  });

  it('make a word known that no passage has', async () => {
    const world = await aLibrary('zeta => trees');
    const weightsOf = async (query: string) => (await search(world, { query, strategy: 'DenseSparseHybrid' })).denseWeights;
    expect(await weightsOf('zeta')).toEqual(await weightsOf('trees'));
    expect(await weightsOf('zeta')).not.toEqual(await weightsOf('eta'));
    const relevanceOf = async (query: string) => (await search(world, { query })).hits.map(({ relevance }) => relevance);
    expect(await relevanceOf('zeta')).toEqual(await relevanceOf('trees'));
  });

  it('end a circle of rules', async () => {
    const world = await aLibrary('trees => bread', 'bread => sso', 'sso => trees');
    expect(await found(world, { query: 'trees' })).toEqual([aChunk(4), aChunk(5)]);
    expect(await found(world, { query: 'sso' })).toEqual([aChunk(1), aChunk(3), aChunk(4)]);
  });

  it('are limited, and the search says so', async () => {
    const world = await aLibrary(`sso, ${Array.from({ length: MAX_WORDINGS }, (_, i) => `word${i}`).join()}`);
    const { hits, synonyms } = await search(world, { query: 'sso' });
    expect([hits.length, synonyms?.limited]).toEqual([2, true]);
  });

  it('are no part of required and excluded words', async () => {
    const world = await aLibrary(RULE);
    expect(await found(world, { query: 'sso', terms: { required: ['sso'] } })).toEqual([aChunk(1), aChunk(3)]);
    expect(await found(world, { query: 'sso', terms: { excluded: ['sso'] } })).toEqual([aChunk(2)]);
  });
});
