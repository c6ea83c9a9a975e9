import { FakePlatform, problem } from '../../test/fake-platform.ts';
import { run } from '../../test/run.ts';
import { explanationLines } from './search.ts';

let platform: FakePlatform;
beforeEach(async () => {
  platform = await FakePlatform.open();
});
afterEach(() => platform.close());

const hit = {
  ...{ chunkId: 'c', documentId: 'd', knowledgeBase: 'default', source: 'guides/tides.md', title: 'Tides', citation: '[1]' },
  ...{ text: 'The moon pulls.', snippet: { text: 'The moon\npulls the sea.', highlights: [[4, 8]] }, score: 0.03251, rank: 1 },
  ...{ index: 1, of: 4, page: 7, lines: [10, 14], headings: ['Sea', 'Tides'], origin: 'UserContent', labels: {} },
};
const answer = { hits: [hit], position: '9', traceId: 't', timings: { totalMs: 12.4, stages: [] } };

describe('palimpsest search', () => {
  beforeEach(() => void platform.on('POST /v1/search', () => ({ json: answer })));
  const search = (...args: string[]) => run(['search', 'what moves the sea?', '--url', platform.url, ...args]);

  it('shows each result with its position and highlighted matches', async () => {
    const { code, out } = await run(['search', 'sea', '--url', platform.url], { env: { FORCE_COLOR: '1' } });
    expect(code).toBe(0);
    expect(out).toContain('1. Tides');
    expect(out).toContain('guides/tides.md');
    expect(out).toContain('page 7, lines 10-14, chunk 2 of 4');
    expect(out).toContain('Sea › Tides');
    expect(out).toMatch(/The \S*moon\S* pulls the sea\./);
    expect(out).toContain(`\u001b[33mmoon\u001b[39m`);
  });

  it('prints no colours when stdout is not a terminal', async () => {
    expect((await search()).out).not.toContain('\u001b[');
  });

  it('passes its options on', async () => {
    await search('--top', '3', '--strategy', 'SparseOnly', '--kb', 'a', '--kb', 'b', '--language', 'de', '--explain');
    expect(platform.requests[0]?.json).toEqual({
      ...{ query: 'what moves the sea?', topK: 3, strategy: 'SparseOnly', knowledgeBases: ['a', 'b'], language: 'de', explain: true },
    });
  });

  it('passes on a filter, and refuses one that is no JSON', async () => {
    await search('--filter', '{"eq":{"field":"label.year","value":"2026"}}');
    expect(platform.requests[0]?.json).toEqual({
      ...{ query: 'what moves the sea?', filter: { eq: { field: 'label.year', value: '2026' } } },
    });
    expect(await search('--filter', 'label.year=2026')).toMatchObject({ code: 2, err: expect.stringContaining('--filter') });
  });

  it('passes on how the results are to be arranged', async () => {
    await search('--collapse', '--group-by-document', '--per-group', '2', '--diversity', '0.3');
    expect(platform.requests[0]?.json).toEqual({
      ...{ query: 'what moves the sea?', collapse: true, groupBy: 'document', perGroup: 2, diversity: 0.3 },
    });
    expect(await search('--diversity', '2')).toMatchObject({ code: 2, err: expect.stringContaining('--diversity') });
  });

  it('shows the passages around a result, before and after it', async () => {
    const around = [
      { chunkId: 'b', index: hit.index - 1, text: 'What comes\n\nbefore it. ', contextPrefix: '' },
      { chunkId: 'a', index: hit.index + 1, text: 'What follows.', contextPrefix: '' },
    ];
    platform.on('POST /v1/search', () => ({ json: { ...answer, hits: [{ ...hit, around }] } }));
    const { out } = await search('--expand', 'neighbours', '--neighbours', '2');
    expect(out).toMatch(/\n   What comes\n   before it\.\n   .+\n   What follows\.\n/);
    expect(platform.requests[0]?.json).toMatchObject({ expand: 'neighbours', neighbours: 2 });
    for (const wrong of [
      ['--expand', 'everything'],
      ['--neighbours', '4'],
    ])
      expect(await search(...wrong)).toMatchObject({ code: 2 });
  });

  it('passes on words that results must and must not contain, and says which are ignored', async () => {
    platform.on('POST /v1/search', () => ({ json: { ...answer, ignoredTerms: ['the'] } }));
    const { err } = await search('--require', 'the', '--require', 'tide', '--exclude', 'boat', '--phrase', 'full moon');
    expect(platform.requests[0]?.json).toEqual({
      ...{ query: 'what moves the sea?', terms: { required: ['the', 'tide'], excluded: ['boat'], phrases: ['full moon'] } },
    });
    expect(err).toContain('ignored, since it is a stop word: the');
  });

  it('says which synonyms were searched', async () => {
    const synonyms = { added: [{ word: 'SSO', synonyms: ['single sign-on', 'login'] }], limited: true };
    platform.on('POST /v1/search', () => ({ json: { ...answer, synonyms } }));
    const { err } = await search();
    expect(err).toContain('searched, too, for SSO: single sign-on, login');
    expect(err).toContain('not all combinations of synonyms were searched');
  });

  it('passes on how the query is to be rewritten, and says when it was not', async () => {
    const rewritten = { by: 'queries', model: 'chat:m', outcome: 'skipped', texts: [], reason: 'away', detail: 'chat:m was skipped: away' };
    platform.on('POST /v1/search', () => ({ json: { ...answer, rewritten } }));
    expect((await search('--rewrite', 'queries')).err).toContain('chat:m was skipped: away');
    expect(platform.requests[0]?.json).toEqual({ query: 'what moves the sea?', rewrite: 'queries' });
  });

  it('shows how many passages a result stands for', async () => {
    platform.on('POST /v1/search', () => ({ json: { ...answer, hits: [{ ...hit, similar: { count: 3, passages: [] } }] } }));
    expect((await search('--collapse')).out).toContain('and 3 more like it');
  });

  it('prints the response of the server with --json', async () => {
    expect(JSON.parse((await search('--json')).out)).toEqual(answer);
  });

  it('reports when nothing was found', async () => {
    platform.on('POST /v1/search', () => ({ json: { ...answer, hits: [] } }));
    expect(await search()).toMatchObject({ code: 0, out: 'no results in 12 ms\n' });
  });

  it.each([
    ['search', 'POST /v1/search'],
    ['context', 'POST /v1/context'],
    ['documents', 'GET /v1/documents'],
    ['events', 'GET /v1/events'],
  ])('%s fails when the knowledge base does not exist', async (command, route) => {
    platform.on(route, () => problem(404, 'NotFound', 'knowledge base "nosuch" not found'));
    const query = command === 'search' || command === 'context' ? ['sea'] : [];
    expect(await run([command, ...query, '--kb', 'nosuch', '--url', platform.url])).toMatchObject({
      code: 2,
      out: '',
      err: 'palimpsest: knowledge base "nosuch" not found (NotFound)\n',
    });
  });

  it('explains each score in a few lines', () => {
    const explanation = { fusion: { label: 'rrf', value: 0.032522 }, lexical: { rank: 2, score: 1.75, terms: ['model', 'swap'] } };
    expect(explanationLines(explanation)).toEqual(['fusion: label rrf, value 0.0325', 'lexical: rank 2, score 1.75, terms [model, swap]']);
  });
});

describe('palimpsest context', () => {
  it('prints only the text on stdout, so that it can be piped, and its sources on stderr', async () => {
    const citations = [{ label: '[1]', chunkId: 'c', documentId: 'd', source: 'guides/tides.md' }];
    platform.on('POST /v1/context', () => ({ json: { text: 'The moon [1].', citations, leftOut: [], tokens: 5 } }));
    const { code, out, err } = await run([
      'context',
      'sea',
      '--url',
      platform.url,
      '--max-tokens',
      '50',
      '--grounding',
      'StrictlyGrounded',
    ]);
    expect({ code, out }).toEqual({ code: 0, out: 'The moon [1].\n' });
    expect(err).toContain('[1] guides/tides.md');
    expect(platform.requests[0]?.json).toMatchObject({ maxTokens: 50, grounding: 'StrictlyGrounded' });
  });
});
