import { InvalidValue } from '@palimpsest/knowledge/errors';
import { aChunkOf, reader, SearchWorld } from '../../test/search-world.ts';
import { recordedArrangement } from '../search/arrangement.ts';
import { searchRequest } from '../search/search-request.ts';
import { runSearch } from './run-search.ts';
import { searchStages } from './search-stages.ts';

const TEXTS = ['tea', 'water', 'espresso', 'milk', 'sugar'];
const search = (world: SearchWorld, request: object, access = reader()) =>
  runSearch(searchStages(world.ports), {
    request: searchRequest({ query: 'espresso', strategy: 'SparseOnly', ...request }),
    access,
    view: world.view,
  });
const around = async (...given: Parameters<typeof search>) =>
  (await search(...given)).hits.map(({ around: passages }) => passages?.map(({ index, text }) => `${index} ${text}`));

const aWorld = async (more: Parameters<SearchWorld['add']>[2] = {}) => {
  const world = new SearchWorld();
  await world.add(1, TEXTS, more);
  return world;
};

describe('Expanding results', () => {
  it('adds the passages next to each of them, and changes nothing else', async () => {
    const world = await aWorld();
    expect(await around(world, {})).toEqual([undefined]);
    expect(await around(world, { expand: 'neighbours' })).toEqual([['1 water', '3 milk']]);
    expect(await around(world, { expand: 'neighbours', neighbours: 3 })).toEqual([['0 tea', '1 water', '3 milk', '4 sugar']]);
    const [hit] = (await search(world, { expand: 'neighbours', explain: true })).hits;
    expect(hit?.around?.map(({ chunkId }) => chunkId)).toEqual([1, 3].map((i) => aChunkOf(1, i)));
    expect(hit?.explain?.stages['expand']).toEqual({ rank: 1, score: hit?.score, note: 'with 2 passages around it' });
    const { around: _around, explain: _explain, ...plain } = hit ?? {};
    expect((await search(world, {})).hits).toEqual([plain]);
  });

  it('adds the rest of the section, with the sections in it', async () => {
    const headings = [['A'], ['A', 'B'], ['A', 'B'], ['A', 'B', 'C'], ['A', 'D']];
    const world = await aWorld({ headingsOf: headings });
    expect(await around(world, { expand: 'section' })).toEqual([['1 water', '3 milk']]);
    expect(await around(await aWorld(), { expand: 'section' })).toEqual([['0 tea', '1 water', '3 milk', '4 sugar']]);
  });

  it('stays at the ends of the document', async () => {
    const world = new SearchWorld();
    await world.add(1, ['espresso', 'milk']);
    await world.add(2, 'espresso alone');
    expect(await around(world, { expand: 'neighbours', neighbours: 2 })).toEqual([['1 milk'], []]);
  });

  it('reads nothing of another version that was indexed since the result was found', async () => {
    const world = await aWorld();
    const { catalog } = world;
    const before = catalog.chunksBetween.bind(catalog);
    catalog.chunksBetween = async (...of) => {
      await world.add(1, ['secret', 'secrets', 'espresso', 'secrets'], { version: 2 });
      return before(...of);
    };
    expect(await around(world, { expand: 'neighbours' })).toEqual([[]]);
  });

  it('reads nothing that the caller may not read', async () => {
    const world = await aWorld({ labels: { department: 'hr' } });
    const limited = (value: string) => reader({ requiredLabels: { department: [value] } });
    expect(await around(world, { expand: 'section' }, limited('hr'))).toHaveLength(1);
    expect(await around(world, { expand: 'section' }, limited('legal'))).toEqual([]);
    // Its label is changed while the search runs.
    const { catalog } = world;
    const before = catalog.chunksBetween.bind(catalog);
    catalog.chunksBetween = async (...of) => {
      await world.add(1, TEXTS, { labels: { department: 'legal' } });
      return before(...of);
    };
    expect(await around(world, { expand: 'section' }, limited('hr'))).toEqual([[]]);
  });

  it('is recorded as it was done, and refuses a number without neighbours', () => {
    expect(recordedArrangement({ expand: 'neighbours' })).toEqual({ arrangement: { expand: 'neighbours', neighbours: 1 } });
    expect(recordedArrangement({ expand: 'section' })).toEqual({ arrangement: { expand: 'section' } });
    for (const request of [{ neighbours: 2 }, { neighbours: 2, expand: 'section' }])
      expect(() => searchRequest({ query: 'tea', ...request })).toThrow(InvalidValue);
  });
});
