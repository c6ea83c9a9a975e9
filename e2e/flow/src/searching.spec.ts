import type { SearchRequest, Strategy } from '@palimpsest/client';
import { expectProblem } from '@palimpsest/e2e-support/ask';
import { eventually } from '@palimpsest/test-kit/eventually';
import { submitText } from '@palimpsest/e2e-support/submit';
import { aDataFolder, DISTRIBUTED, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { recordedEvents } from '@palimpsest/e2e-support/recorded-events';

const SECRET = 'xylophonewhisper';

const FOUND = `espresso brewed with hot water, or green tea leaves steeped in hot water; not ${SECRET}`;

const LIBRARY = [
  {
    sourceId: 'coffee.md',
    title: 'Coffee',
    text: '# Coffee\n\nEspresso is brewed by pushing hot water through finely ground beans under pressure.',
    labels: { room: 'kitchen', year: '2024' },
  },
  {
    sourceId: 'tea.md',
    title: 'Tea',
    text: '# Tea\n\nGreen leaves are steeped in water that is hot but does not boil, for two minutes.',
    labels: { room: 'kitchen', year: '2023' },
    origin: 'Narrative' as const,
  },
  {
    sourceId: 'engine.md',
    title: 'Engine',
    text: '# Engine\n\nThe locomotive burns coal; its steam drives the pistons under high pressure.',
    labels: { room: 'garage', year: '2024' },
    origin: 'Note' as const,
  },
  {
    sourceId: 'errors.md',
    title: 'Errors',
    text: '# Errors\n\nThe program ends with E_QUOTA_4711 when the disk quota of a user is exceeded.',
    labels: { room: 'office', year: '2022' },
  },
] as const;

describe('searching with the built-in model', () => {
  let platform: PlatformUnderTest;
  beforeAll(async () => {
    platform = await PlatformUnderTest.start(await aDataFolder());
    await platform.client.knowledgeBases.create({ id: 'house' });
    for (const document of LIBRARY) await submitText(platform.client, { knowledgeBase: 'house', ...document });
    await submitText(platform.client, { sourceId: 'elsewhere.md', text: 'Espresso machines of another knowledge base, under pressure.' });
  });

  const search = (query: string, more: Partial<SearchRequest> = {}) =>
    platform.client.search({ query, knowledgeBases: ['house'], ...more });
  const sources = async (query: string, more: Partial<SearchRequest> = {}) => (await search(query, more)).hits.map(({ source }) => source);

  it('finds texts by meaning that share no word with the query', async () =>
    expect((await sources('a hot caffeinated drink from a machine', { strategy: 'DenseOnly' }))[0]).toBe('coffee.md'));

  it('finds an exact code lexically', async () => {
    const { hits } = await search('E_QUOTA_4711', { strategy: 'SparseOnly', explain: true });
    expect(hits).toMatchObject([
      { source: 'errors.md', rank: 1, explain: { lexical: { rank: 1, score: expect.any(Number) }, document: { version: 1 } } },
    ]);
  });

  it.each(['zscore', 'rrf', 'weighted'] as const)(
    'fuses both rankings (%s), explains each result, and orders the results by score',
    async (fusion) => {
      const { hits } = await search('water under pressure', { fusion, explain: true });
      expect(hits.map(({ score }) => score)).toEqual(hits.map(({ score }) => score).sort((one, other) => other - one));
      expect(hits.map(({ explain }) => explain?.fusion.value)).toEqual(hits.map(({ score }) => score));
      expect(hits[0]).toMatchObject({
        source: 'coffee.md',
        explain: {
          dense: { rank: expect.any(Number), score: expect.any(Number) },
          lexical: { terms: expect.arrayContaining(['pressur']) },
          fusion: expect.anything(),
        },
      });
      expect(hits.map(({ rank }) => rank)).toEqual(hits.map((_, i) => i + 1));
      expect([...hits].sort((a, b) => b.score - a.score)).toEqual(hits);
    },
  );

  it('returns a citation and a snippet of the requested size, with the query words highlighted', async () => {
    const {
      hits: [hit],
    } = await search('ground beans', { strategy: 'SparseOnly', snippetChars: 40 });
    expect(hit).toMatchObject({ citation: 'Coffee, Chunk 1 of 1', lines: [expect.any(Number), expect.any(Number)] });
    const { text, highlights } = hit?.snippet ?? { text: '', highlights: [] };
    expect(text.length).toBeLessThanOrEqual(42);
    expect(highlights.map(([start, end]) => text.slice(start, end))).toEqual(['ground', 'beans']);
  });

  it('arranges the hits as requested, and replays them so', async () => {
    const copies = 'The harbour master keeps a list of all ships that are in the harbour, with the names of their captains.';
    await platform.client.knowledgeBases.create({ id: 'port' });
    for (const sourceId of ['one.md', 'two.md', 'three.md'])
      await submitText(platform.client, { knowledgeBase: 'port', sourceId, text: copies });
    await submitText(platform.client, { knowledgeBase: 'port', sourceId: 'tugs.md', text: 'Tugs pull ships into the harbour.' });
    const asked = (more: Partial<SearchRequest>) =>
      search('list of all ships in the harbour', { knowledgeBases: ['port'], topK: 2, explain: true, ...more });
    expect((await asked({})).hits.map(({ source }) => source)).not.toContain('tugs.md');
    for (const more of [{ collapse: true }, { diversity: 0.9 }, { collapse: true, groupBy: 'document', perGroup: 1 }] as const) {
      const { hits, traceId } = await asked(more);
      expect(hits.map(({ source }) => source)).toContain('tugs.md');
      expect(hits.flatMap(({ similar }) => similar?.count ?? [])).toEqual('collapse' in more ? [2] : []);
      for (const { explain } of hits) expect(Object.keys(explain?.stages ?? {})).toContain('collapse' in more ? 'collapse' : 'diversify');
      const { identical, differences } = await eventually('it is recorded', () =>
        platform.client.retrievals.replay(traceId, { query: 'list of all ships in the harbour' }).catch(() => undefined),
      );
      // On services, vectors of the past are searched by another index.
      expect(identical || (DISTRIBUTED && differences.some(({ reason }) => reason === 'store'))).toBe(true);
    }
  });

  it('adds the passages around each result, without repeats, also in the past, in contexts and in replays', async () => {
    const text = Array.from({ length: 120 }, (_, n) => `Rule ${n + 1}: ${n === 60 ? 'the mainsail is reefed' : 'keep watch'}.`).join(' ');
    const chunking = { tokens: { maxTokens: 80, overlap: 20, minTokens: 20 } };
    await platform.client.knowledgeBases.create({ id: 'rules', chunking });
    await submitText(platform.client, { knowledgeBase: 'rules', sourceId: 'rules.txt', mediaType: 'text/plain', text });
    const query = 'when is the mainsail reefed?';
    const request = {
      knowledgeBases: ['rules'],
      topK: 1,
      strategy: 'SparseOnly' as Strategy,
      expand: 'neighbours' as const,
      neighbours: 2,
    };
    const found = await search(query, request);
    const joined = ({ hits: [hit] }: typeof found) =>
      [...(hit?.around ?? []), ...(hit ? [hit] : [])]
        .sort((one, other) => one.index - other.index)
        .map((passage) => passage.text)
        .join('');
    expect(found.hits[0]?.around).toHaveLength(4);
    expect(text).toContain(joined(found).trim());
    expect(joined(await search(query, { ...request, expand: 'section', neighbours: undefined }))).toContain(joined(found));
    const context = await platform.client.context({ query, ...request, maxTokens: 1_000 });
    expect(context.text.split('Rule 61:')).toHaveLength(2);
    expect(context.citations.map(({ source }) => source)).toEqual(Array(5).fill('rules.txt'));
    const { identical, differences } = await eventually('it is recorded', () =>
      platform.client.retrievals.replay(found.traceId, { query }).catch(() => undefined),
    );
    expect(identical || (DISTRIBUTED && differences.some(({ reason }) => reason === 'store'))).toBe(true);
    await submitText(platform.client, {
      knowledgeBase: 'rules',
      sourceId: 'rules.txt',
      mediaType: 'text/plain',
      text: 'The mainsail is lost.',
    });
    expect((await search(query, request)).hits[0]?.around).toEqual([]);
    expect(joined(await search(query, { ...request, asOf: found.position }))).toBe(joined(found));
  });

  it.each(['DenseSparseHybrid', 'DenseOnly', 'SparseOnly'] as const)(
    'requires and excludes words in any form, and phrases as they are written (%s), and replays them so',
    async (strategy) => {
      const base = `lake-${strategy.toLowerCase()}`;
      await platform.client.knowledgeBases.create({ id: base });
      const texts = {
        'boats.md': 'Small boats cross the lake in the morning.',
        'boat.md': 'A boat that crosses the lake needs a light.',
        'swimmers.md': 'Swimmers cross the lake in the evening; the lake is small.',
      };
      for (const [sourceId, text] of Object.entries(texts)) await submitText(platform.client, { knowledgeBase: base, sourceId, text });
      const asked = (terms: SearchRequest['terms']) => search('crossing the lake', { knowledgeBases: [base], strategy, terms });
      const kept = async (terms: SearchRequest['terms']) => (await asked(terms)).hits.map(({ source }) => source).sort();
      expect(await kept({ required: ['boat'] })).toEqual(['boat.md', 'boats.md']);
      expect(await kept({ required: ['lakes'], excluded: ['boat'] })).toEqual(['swimmers.md']);
      expect(await kept({ phrases: ['cross the Lake'] })).toEqual(['boats.md', 'swimmers.md']);
      expect(await kept({ phrases: ['small boats'] })).toEqual(['boats.md']);
      expect(await kept({ required: ['volcano'] })).toEqual([]);
      const terms = { required: ['boats', 'the'], phrases: ['in the morning'] };
      const { hits, traceId, ignoredTerms } = await asked(terms);
      expect([hits.map(({ source }) => source), ignoredTerms]).toEqual([['boats.md'], ['the']]);
      const replayed = await eventually('it is recorded', () =>
        platform.client.retrievals.replay(traceId, { query: 'crossing the lake', terms }).catch(() => undefined),
      );
      expect(replayed.sameHits).toBe(true);
    },
  );

  it('filters by labels with every operator', async () => {
    const eq = (name: string, value: string) => ({ eq: { field: `label.${name}`, value } });
    const all = { strategy: 'DenseOnly' as Strategy, topK: 10 };
    const kept = async (filter: NonNullable<SearchRequest['filter']>) => (await sources('water', { ...all, filter })).sort();
    expect(await kept(eq('room', 'kitchen'))).toEqual(['coffee.md', 'tea.md']);
    expect(await kept({ and: [eq('room', 'kitchen'), eq('year', '2024')] })).toEqual(['coffee.md']);
    expect(await kept({ or: [eq('room', 'garage'), eq('room', 'office')] })).toEqual(['engine.md', 'errors.md']);
    expect(await kept({ not: eq('room', 'kitchen') })).toEqual(['engine.md', 'errors.md']);
    expect(await kept({ in: { field: 'label.year', values: ['2022', '2023'] } })).toEqual(['errors.md', 'tea.md']);
    expect(await kept({ range: { field: 'label.year', gte: '2023', lt: '2024' } })).toEqual(['tea.md']);
    expect(await kept({ prefix: { field: 'source', value: 'e' } })).toEqual(['engine.md', 'errors.md']);
    expect(await kept({ exists: { field: 'label.nothing' } })).toEqual([]);
  });

  it('leaves out documents with other origins, in other knowledge bases, or in other scopes', async () => {
    expect(await sources('water', { origins: ['Narrative', 'Note'], strategy: 'DenseOnly' })).toEqual(
      expect.arrayContaining(['tea.md', 'engine.md']),
    );
    expect(await sources('water', { origins: ['Narrative', 'Note'], strategy: 'DenseOnly' })).toHaveLength(2);
    expect(await sources('espresso')).not.toContain('elsewhere.md');
    expect((await platform.client.search({ query: 'espresso' })).hits.map(({ source }) => source)).toContain('elsewhere.md');
    expect((await platform.client.search({ query: 'espresso', scopes: ['platform'] })).hits).toEqual([]);
  });

  it.each([
    ['POST /v1/search', { query: 'espresso', knowledgeBases: ['house', 'no-such'] }, 'knowledge base "no-such" not found'],
    ['POST /v1/search', { query: 'espresso', scopes: ['deployment', 'team:none'] }, 'scope "team:none" not found'],
    ['POST /v1/context', { query: 'espresso', knowledgeBases: ['no-such'] }, 'knowledge base "no-such" not found'],
    ['GET /v1/documents?knowledgeBase=no-such', undefined, 'knowledge base "no-such" not found'],
    ['GET /v1/documents/live?knowledgeBase=no-such', undefined, 'knowledge base "no-such" not found'],
    [`GET /v1/documents/live?document=${'f'.repeat(32)}`, undefined, `document "${'f'.repeat(32)}" not found`],
    ['GET /v1/events?knowledgeBase=no-such', undefined, 'knowledge base "no-such" not found'],
    ['GET /v1/events?scope=team:none', undefined, 'scope "team:none" not found'],
    ['GET /v1/events/live?knowledgeBase=no-such', undefined, 'knowledge base "no-such" not found'],
    ['GET /v1/exports/team:none', undefined, 'scope "team:none" not found'],
  ])('%s %j reports what does not exist instead of returning nothing', async (route, json, detail) => {
    const answer = await platform.ask(route, json === undefined ? {} : { json });
    expect(expectProblem(answer, 404, 'NotFound').detail).toBe(detail);
  });

  it('drops results below the minimum similarity', async () => {
    const { hits } = await search('steam locomotive', { strategy: 'DenseOnly' });
    const [best = 0, second = 0] = hits.map(({ score }) => score);
    expect(best).toBeGreaterThan(second);
    expect(await sources('steam locomotive', { strategy: 'DenseOnly', minScore: (best + second) / 2 })).toEqual(['engine.md']);
  });

  it.each(['DenseSparseHybrid', 'DenseOnly', 'SparseOnly'] as const)('drops results below the minimum relevance: %s', async (strategy) => {
    const { hits, miss } = await search('steam locomotive', { strategy });
    const best = hits[0]?.relevance ?? 0;
    expect([hits[0]?.source, miss]).toEqual(['engine.md', false]);
    expect(await sources('steam locomotive', { strategy, minRelevance: best })).toEqual(['engine.md']);
    const none = await search('steam locomotive', { strategy, minRelevance: Math.min(1, best + 0.001) });
    expect([none.hits, none.miss]).toEqual([[], true]);
  });

  it('says that there is no close match', async () => {
    const { miss } = await search('amortisation of municipal pension liabilities');
    expect(miss).toBe(true);
  });

  it('returns at most topK results, the same each time, bit for bit', async () => {
    const first = await search('hot water', { topK: 2 });
    expect(first.hits).toHaveLength(2);
    for (let i = 0; i < 3; i++) expect((await search('hot water', { topK: 2 })).hits).toEqual(first.hits);
  });

  it('sees a write if it sends its position', async () => {
    const { position } = await platform.client.documents.submitText({ sourceId: 'later.md', text: 'A later word: quixotry.' });
    const answer = await platform.client.search({ query: 'quixotry', atLeast: position });
    expect(BigInt(answer.position)).toBeGreaterThanOrEqual(BigInt(position));
    await eventually('it is indexed', async () =>
      (await platform.client.search({ query: 'quixotry', strategy: 'SparseOnly' })).hits.length === 1 ? true : undefined,
    );
  });

  it('reports the duration of each stage', async () => {
    const { timings, traceId } = await search('anything');
    expect(timings?.stages.map(({ stage }) => stage)).toEqual(
      expect.arrayContaining(['authorise', 'embed', 'dense', 'lexical', 'fuse', 'snippets']),
    );
    expect(traceId).toMatch(/^[0-9a-f-]{36}$/);
  });

  describe('a context for a prompt', () => {
    it('contains the excerpts under their citations, within its budget', async () => {
      const { status, json } = await platform.ask('POST /v1/context', {
        json: { query: 'how is espresso brewed?', knowledgeBases: ['house'], maxTokens: 300 },
      });
      expect(status).toBe(200);
      expect(json).toMatchObject({
        citations: expect.arrayContaining([expect.objectContaining({ source: 'coffee.md', label: '[Doc Coffee, Chunk 1 of 1]' })]),
        position: expect.stringMatching(/^\d+$/),
      });
      expect(json['text']).toContain('[Doc Coffee, Chunk 1 of 1]');
      expect(json['text']).toContain('finely ground beans');
      expect(json['tokens']).toBeLessThanOrEqual(300);
    });

    it('lists excerpts that do not fit as left out', async () => {
      const { json } = await platform.ask('POST /v1/context', { json: { query: 'hot water under pressure', maxTokens: 100 } });
      expect(json['tokens']).toBeLessThanOrEqual(100);
      expect(JSON.stringify(json['leftOut'])).not.toBe('[]');
    });

    it('fills its budget with the sentences that carry the query, if it may compress', async () => {
      const filler = 'Nothing of importance is said in this sentence about anything. '.repeat(12);
      const text = `${filler}The quartermaster keeps the pumpernickel in the third cellar. ${filler}`;
      await submitText(platform.client, { sourceId: 'cellar.txt', text: text.replaceAll('. ', '.\n') });
      const asked = { query: 'where is the pumpernickel kept?', strategy: 'SparseOnly', maxTokens: 120 } as const;
      const { citations, text: context } = await platform.client.context({ ...asked, compress: true });
      expect(citations).toMatchObject([{ source: 'cellar.txt', truncated: false, compressed: true }]);
      expect(context).toContain('The quartermaster keeps the pumpernickel in the third cellar.');
      expect(context).toContain('[…]');
      expect((await platform.client.context(asked)).text).not.toContain('[…]');
    });

    it('instructs the model to refuse if it must be grounded and nothing is found', async () => {
      const { json } = await platform.ask('POST /v1/context', {
        json: { query: 'espresso', scopes: ['platform'], grounding: 'StrictlyGrounded' },
      });
      expect(json).toMatchObject({ citations: [], refuse: true, text: expect.stringContaining('No excerpt') });
    });
  });

  it('records every search once, misses additionally, and never the words of a query', async () => {
    const { traceId } = await search(FOUND);
    const one = await search(FOUND, { topK: 1 });
    const miss = await search(`${SECRET} nothing like it`, { filter: { exists: { field: 'label.nothing' } } });
    await eventually('all retrieval records are on the log', async () => {
      const recorded = new Set((await recordedEvents(platform.data)).map(({ data }) => data['traceId']));
      return [traceId, one.traceId, miss.traceId].every((id) => recorded.has(id)) ? true : undefined;
    });
    expect((await platform.stop()).code).toBe(0);
    const events = await recordedEvents(platform.data);
    const recordsOf = (id: string) => events.filter(({ data }) => data['traceId'] === id);
    expect(recordsOf(one.traceId).map(({ type }) => type)).toEqual(['KnowledgeRetrieved']);
    expect(recordsOf(traceId).map(({ type }) => type)).toEqual(['KnowledgeRetrieved']);
    expect(recordsOf(traceId)[0]).toMatchObject({
      stream: expect.stringContaining('retrieval'),
      data: {
        queryLength: FOUND.length,
        permittedScopes: ['deployment'],
        topK: 10,
        hits: expect.arrayContaining([expect.objectContaining({ chunkId: expect.any(String) })]),
      },
    });
    expect(recordsOf(miss.traceId)).toMatchObject([
      { type: 'KnowledgeRetrieved', data: { hits: [], filtered: true } },
      { type: 'KnowledgeRetrievalMiss', data: { hits: [], filtered: true, floor: expect.any(Number) } },
    ]);
    expect(JSON.stringify(events)).not.toContain(SECRET);
    expect(JSON.stringify(events)).not.toContain('Espresso');
  });
});
