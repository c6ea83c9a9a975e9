import type { SearchRequest } from '@palimpsest/client';
import { expectProblem } from '@palimpsest/e2e-support/ask';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { submitText } from '@palimpsest/e2e-support/submit';

const LIBRARY = [
  { sourceId: 'coffee.md', text: '# Coffee\n\nEspresso is brewed by pushing hot water through finely ground beans under pressure.' },
  { sourceId: 'squid.md', text: '# Release\n\nThe mascot of the next release is a squid 🦑, drawn by hand.' },
  { sourceId: 'engine.md', text: '# Engine\n\nThe locomotive burns coal; its steam drives the pistons under high pressure.' },
];

describe('queries that say little to a search', () => {
  let platform: PlatformUnderTest;
  beforeAll(async () => {
    platform = await PlatformUnderTest.start(await aDataFolder());
    await platform.client.knowledgeBases.create({ id: 'house', language: 'en' });
    for (const document of LIBRARY) await submitText(platform.client, { knowledgeBase: 'house', title: document.sourceId, ...document });
  });
  afterAll(() => platform.stop());

  const search = async (query: string, more: Partial<SearchRequest> = {}) =>
    (await platform.client.search({ query, knowledgeBases: ['house'], explain: true, ...more })).hits;
  const byWords = async (query: string) => (await search(query, { strategy: 'SparseOnly' })).map(({ source }) => source);
  /** By both: without words in common, the ranking is that of the vectors. */
  const expectVectorsAlone = async (query: string): Promise<void> => {
    const hits = await search(query);
    expect(hits.map(({ source }) => source)).toEqual((await search(query, { strategy: 'DenseOnly' })).map(({ source }) => source));
    expect(hits).toHaveLength(LIBRARY.length);
    for (const { explain } of hits) expect(explain?.lexical).toBeUndefined();
  };

  it('one rare emoji: the text that contains it, marked in the snippet; none if no text does', async () => {
    const [hit, ...more] = await search('🦑', { strategy: 'SparseOnly' });
    expect(more).toEqual([]);
    expect(hit).toMatchObject({ source: 'squid.md', explain: { lexical: { rank: 1, terms: ['🦑'] } } });
    expect(hit?.snippet.highlights.map(([start, end]) => hit.snippet.text.slice(start, end))).toEqual(['🦑']);
    expect(await byWords('🐙')).toEqual([]);
    await expectVectorsAlone('🐙');
  });

  it('4,000 characters: they are all read, and one more is refused with the limit', async () => {
    const long = `${'word '.repeat(798)}piston`;
    expect(long.length).toBeLessThanOrEqual(4000);
    expect(await byWords(long.padStart(4000, ' '))).toEqual(['engine.md']);
    expect(await search(long.padStart(4000, ' '))).toHaveLength(LIBRARY.length);
    expectProblem(await platform.ask('POST /v1/search', { json: { query: long.padStart(4001, 'x') } }), 400, 'InvalidValue', {
      field: 'query',
    });
  });

  it('stop words only: no text by words, all texts by meaning', async () => {
    expect(await byWords('the of and in')).toEqual([]);
    await expectVectorsAlone('the of and in');
  });

  it('a language that no text is in: no text by words, all texts by meaning, whatever language is named', async () => {
    for (const language of [undefined, 'el', 'en'] as const) {
      const named = language === undefined ? {} : { language };
      expect(await search('Πώς φτιάχνεται ο καφές;', { strategy: 'SparseOnly', ...named })).toEqual([]);
      expect(await search('Πώς φτιάχνεται ο καφές;', named)).toHaveLength(LIBRARY.length);
    }
    await expectVectorsAlone('Πώς φτιάχνεται ο καφές;');
  });
});
