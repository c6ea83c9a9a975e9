import { ask, expectProblem, type AskOptions } from '@palimpsest/e2e-support/ask';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { submitText } from '@palimpsest/e2e-support/submit';
import { aDataFolder, DISTRIBUTED, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';

const MIB = 1024 * 1024;
const nested = (depth: number): unknown => (depth === 0 ? { exists: { field: 'origin' } } : { not: nested(depth - 1) });
const bad = (route: string) => (name: string, json: unknown, field: string) => ({ name: `${route}: ${name}`, route, json, field });

const document = bad('POST /v1/documents');
const knowledgeBase = bad('POST /v1/knowledge-bases');
const search = bad('POST /v1/search');
const context = bad('POST /v1/context');
const apiKey = bad('POST /v1/api-keys');
const rebuild = bad('POST /v1/admin/rebuild');
const repair = bad('POST /v1/admin/repair');
const text = { sourceId: 'a.md', text: 'Some text.' };
const query = { query: 'words' };

/** The error in each body, and the field that the response must name. */
const BAD_BODIES = [
  document('an unknown field', { ...text, txet: 'x' }, 'txet'),
  document('a field of the wrong type', { ...text, text: 7 }, 'text'),
  document('a missing field', { text: 'x' }, 'sourceId'),
  document('an empty text', { ...text, text: ' \n ' }, 'text'),
  document('an array instead of an object', [text], 'body'),
  document('null', null, 'body'),
  document('a string', 'text', 'body'),
  document('a source with a control character', { ...text, sourceId: 'a\u0000b' }, 'sourceId'),
  document('a source that is too long', { ...text, sourceId: 'x'.repeat(1025) }, 'sourceId'),
  document('an invalid name of a knowledge base', { ...text, knowledgeBase: '../etc' }, 'knowledgeBase'),
  document('a label that is not a string', { ...text, labels: { a: 1 } }, 'labels\\.a'),
  document('a list of labels with a blank keyword', { ...text, labels: { a: ['b', ' '] } }, 'labels\\.a\\[1\\]'),
  document('an invalid name of a label', { ...text, labels: { $where: 'x' } }, 'labels\\.\\$where'),
  document('too many labels', { ...text, labels: Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`l${i}`, 'x'])) }, 'labels'),
  document('an unknown origin', { ...text, origin: 'Dream' }, 'origin'),
  document('force as a string', { ...text, force: 'true' }, 'force'),
  document('an empty title', { ...text, title: ' ' }, 'title'),
  document('half a character in the text', { ...text, text: 'a\ud800b' }, 'text'),
  document('half a character in the title', { ...text, title: 'a\udc00b' }, 'title'),
  document('half a character in a label', { ...text, labels: { a: '\ud800' } }, 'labels\\.a'),
  document('half a character in the source', { ...text, sourceId: 'a\ud800' }, 'sourceId'),
  knowledgeBase('an unknown field', { id: 'x', colour: 'red' }, 'colour'),
  knowledgeBase('no id', {}, 'id'),
  knowledgeBase('upper case', { id: 'Zoo' }, 'id'),
  knowledgeBase('a scope of an unknown kind', { id: 'x', scope: 'planet:earth' }, 'scope'),
  knowledgeBase('a scope with a path traversal', { id: 'x', scope: 'team:../../etc' }, 'scope'),
  knowledgeBase('a team without a name', { id: 'x', scope: 'team:' }, 'scope'),
  knowledgeBase('another tenant in the scope', { id: 'x', scope: 'other/deployment' }, 'scope'),
  knowledgeBase('an unknown chunker', { id: 'x', chunking: { haiku: {} } }, 'chunking'),
  knowledgeBase('chunking that is not an object', { id: 'x', chunking: 5 }, 'chunking'),
  knowledgeBase('chunks of size zero', { id: 'x', chunking: { markdown: { maxChars: 0 } } }, 'chunking\\.markdown\\.maxChars'),
  knowledgeBase('half a character in the name', { id: 'x', name: '\ud800' }, 'name'),
  knowledgeBase('a declared field that is no label and no metadata', { id: 'x', fields: { title: 'number' } }, 'fields'),
  knowledgeBase('an unknown type of a field', { id: 'x', fields: { 'label.a': 'text' } }, 'fields\\.label\\.a'),
  knowledgeBase('a list of fields', { id: 'x', fields: ['label.a'] }, 'fields'),
  knowledgeBase('synonyms that are no list', { id: 'x', synonyms: 'sso, login' }, 'synonyms'),
  knowledgeBase('a synonym of nothing', { id: 'x', synonyms: ['sso, login', 'k8s =>'] }, 'synonyms\\[1\\]'),
  search('an unknown field', { ...query, topk: 3 }, 'topk'),
  search('no query', {}, 'query'),
  search('an empty query', { query: ' \t' }, 'query'),
  search('a query that is too long', { query: 'x'.repeat(4001) }, 'query'),
  search('half a character in the query', { query: 'a\ud800' }, 'query'),
  search('zero results', { ...query, topK: 0 }, 'topK'),
  search('too many results', { ...query, topK: 101 }, 'topK'),
  search('half a result', { ...query, topK: 1.5 }, 'topK'),
  search('the number of results as a string', { ...query, topK: '5' }, 'topK'),
  search('an unknown strategy', { ...query, strategy: 'Magic' }, 'strategy'),
  search('an unknown fusion', { ...query, fusion: 'cold' }, 'fusion'),
  search('an impossible similarity', { ...query, minScore: 2 }, 'minScore'),
  search('an empty list of scopes', { ...query, scopes: [] }, 'scopes'),
  search('a hostile scope', { ...query, scopes: ["team:a' OR 1=1 --"] }, 'scopes\\[0\\]'),
  search('every scope', { ...query, scopes: ['*'] }, 'scopes\\[0\\]'),
  search('another tenant in a scope', { ...query, scopes: ['acme/team:red'] }, 'scopes\\[0\\]'),
  search('a tenant', { ...query, tenant: 'acme' }, 'tenant'),
  search('an unknown origin', { ...query, origins: ['Dream'] }, 'origins\\[0\\]'),
  search('a negative position', { ...query, atLeast: '-1' }, 'atLeast'),
  search('a position in another notation', { ...query, atLeast: '0x10' }, 'atLeast'),
  search('a position as a number', { ...query, atLeast: 5 }, 'atLeast'),
  search('a position of many digits', { ...query, atLeast: '9'.repeat(400) }, 'atLeast'),
  search('a filter that is a string', { ...query, filter: 'origin = 1' }, 'filter'),
  search('an unknown operator', { ...query, filter: { $where: '1' } }, 'filter\\.\\$where'),
  search('two operators in one condition', { ...query, filter: { exists: { field: 'a' }, not: {} } }, 'filter'),
  search('a filter without conditions', { ...query, filter: { and: [] } }, 'filter\\.and'),
  search('null as a filter', { ...query, filter: null }, 'filter'),
  search('an empty filter', { ...query, filter: {} }, 'filter'),
  search('a filter that is too deep', { ...query, filter: nested(100) }, 'filter'),
  search(
    'a filter that is too wide',
    { ...query, filter: { or: Array.from({ length: 300 }, () => ({ exists: { field: 'a' } })) } },
    'filter',
  ),
  search(
    'a list that is too long',
    { ...query, filter: { in: { field: 'a', values: Array.from({ length: 300 }, (_, i) => i) } } },
    'filter\\.in\\.values',
  ),
  search('a range without bounds', { ...query, filter: { range: { field: 'a' } } }, 'filter\\.range'),
  search('a value that is an object', { ...query, filter: { eq: { field: 'a', value: { $ne: 1 } } } }, 'filter\\.eq\\.value'),
  search('a snippet that is too small', { ...query, snippetChars: 1 }, 'snippetChars'),
  search('a required word without a letter', { ...query, terms: { required: ['tea', '?!'] } }, 'terms\\.required\\[1\\]'),
  search('an excluded word that is too long', { ...query, terms: { excluded: ['x'.repeat(201)] } }, 'terms\\.excluded\\[0\\]'),
  search('phrases that are no list', { ...query, terms: { phrases: 'hot water' } }, 'terms\\.phrases'),
  context('terms of an unknown kind', { ...query, terms: { wanted: ['tea'] } }, 'terms'),
  search('a rewriting by something unknown', { ...query, rewrite: 'synonyms' }, 'rewrite'),
  search('a rewriting without a chat model', { ...query, rewrite: 'queries' }, 'rewrite'),
  context('a rewriting of a search by words', { ...query, strategy: 'SparseOnly', rewrite: 'hypothetical' }, 'rewrite'),
  search('a collapse that is no switch', { ...query, collapse: 0.8 }, 'collapse'),
  search('groups of something unknown', { ...query, groupBy: 'title' }, 'groupBy'),
  search('groups without passages', { ...query, groupBy: 'document', perGroup: 0 }, 'perGroup'),
  search('groups that are too large', { ...query, groupBy: 'document', perGroup: 21 }, 'perGroup'),
  search('a size of groups without groups', { ...query, perGroup: 2 }, 'perGroup'),
  search('an expansion to something unknown', { ...query, expand: 'document' }, 'expand'),
  search('too many neighbours', { ...query, expand: 'neighbours', neighbours: 4 }, 'neighbours'),
  search('no neighbours', { ...query, expand: 'neighbours', neighbours: 0 }, 'neighbours'),
  context('neighbours of a section', { ...query, expand: 'section', neighbours: 1 }, 'neighbours'),
  search('a diversity beyond its range', { ...query, diversity: 1.1 }, 'diversity'),
  context('a negative diversity', { ...query, diversity: -0.1 }, 'diversity'),
  context('a budget that is too small', { ...query, maxTokens: 1 }, 'maxTokens'),
  context('an unknown grounding', { ...query, grounding: 'Firmly' }, 'grounding'),
  context('a compression that is no switch', { ...query, compress: 'hard' }, 'compress'),
  context('an unknown field', { ...query, tokens: 5 }, 'tokens'),
  apiKey('no name', {}, 'name'),
  apiKey('an unknown role', { name: 'x', roles: ['god'] }, 'roles\\[0\\]'),
  apiKey('no role at all', { name: 'x', roles: [] }, 'roles'),
  apiKey('an invalid name of a team', { name: 'x', teams: ['a/b'] }, 'teams\\[0\\]'),
  apiKey('an invalid name of a tenant', { name: 'x', tenant: '../root' }, 'tenant'),
  rebuild('an unknown field', { maxEvents: 5 }, 'maxEvents'),
  rebuild('a cap of zero', { maxEventsPerSecond: 0 }, 'maxEventsPerSecond'),
  rebuild('a cap as a string', { maxEventsPerSecond: '5' }, 'maxEventsPerSecond'),
  rebuild('no scopes', { scopes: [] }, 'scopes'),
  rebuild('a scope twice', { scopes: ['deployment', 'team:red', 'deployment'] }, 'scopes'),
  rebuild('scopes as a string', { scopes: 'deployment' }, 'scopes'),
  rebuild('a tenant without scopes', { tenant: 'acme' }, 'tenant'),
  rebuild('null', null, 'body'),
  repair('an unknown field', { scope: 'deployment' }, 'scope'),
  repair('no scopes', { scopes: [] }, 'scopes'),
  repair('a scope twice', { scopes: ['deployment', 'deployment'] }, 'scopes'),
  repair('a tenant without scopes', { tenant: 'acme' }, 'tenant'),
  apiKey('an unknown field', { name: 'x', admin: true }, 'admin'),
];

const BAD_QUERIES: readonly (readonly [path: string, field: string])[] = [
  ['/v1/documents?limit=0', 'limit'],
  ['/v1/documents?limit=many', 'limit'],
  ['/v1/documents?limit=1&limit=2', 'limit'],
  ['/v1/documents?status=lost', 'status'],
  ['/v1/documents?colour=red', 'colour'],
  ['/v1/documents?source=', 'source'],
  ['/v1/documents?knowledgeBase=..%2F..', 'knowledgeBase'],
  ['/v1/documents?cursor=garbage', 'cursor'],
  ['/v1/documents?cursor=%27%20OR%201%3D1%20--', 'cursor'],
  ['/v1/documents?cursor=eyJhIjoxfQ', 'cursor'],
  [`/v1/documents?cursor=${'A'.repeat(4001)}`, 'cursor'],
  ['/v1/documents/0123/chunks', 'documentId'],
  ['/v1/documents/..%2f..%2fetc', 'documentId'],
  ['/v1/documents/%00', 'documentId'],
  [`/v1/documents/${'A'.repeat(32)}`, 'documentId'],
  ['/v1/knowledge-bases/UPPER', 'knowledgeBase'],
  ['/v1/scopes/planet:earth/reembed', 'scope'],
  ['/v1/scopes/planet:earth/timeline', 'scope'],
  ['/v1/scopes/deployment/timeline?limit=201', 'limit'],
  ['/v1/scopes/deployment/timeline?cursor=r1', 'cursor'],
  ['/v1/scopes/deployment/timeline?after=yesterday', 'after'],
  ['/v1/scopes/deployment/timeline?before=2026-13-01T00:00:00Z', 'before'],
  ['/v1/scopes/deployment/timeline?knowledgeBase=..%2F..', 'knowledgeBase'],
  [`/v1/documents/${'a'.repeat(32)}/versions/0`, 'version'],
  [`/v1/documents/${'a'.repeat(32)}/versions/one`, 'version'],
  [`/v1/documents/${'a'.repeat(32)}/versions/1?limit=501`, 'limit'],
  [`/v1/documents/${'a'.repeat(32)}/diff?from=x`, 'from'],
  [`/v1/documents/${'a'.repeat(32)}/diff?from=1.5`, 'from'],
  [`/v1/documents/${'a'.repeat(32)}/diff?to=0`, 'to'],
  [`/v1/documents/${'a'.repeat(32)}/diff?from=2&to=2`, 'from'],
  [`/v1/documents/${'a'.repeat(32)}/diff?from=3&to=2`, 'from'],
];

describe('invalid requests', () => {
  let platform: PlatformUnderTest;
  let documentId: string;
  beforeAll(async () => {
    platform = await PlatformUnderTest.start(await aDataFolder(), {
      ...(await EmbeddingStandIn.open()).settings(),
      PALIMPSEST_MAX_DOCUMENT_MB: '1',
    });
    ({ documentId } = await submitText(platform.client, { sourceId: 'there.md', text: 'A document that is there.' }));
  });

  it.each(BAD_BODIES)('$name', async ({ route, json, field }) => {
    expectProblem(await platform.ask(route, { json }), 400, 'InvalidValue', { field: new RegExp(`^${field}`) });
  });

  it.each(BAD_QUERIES)('GET %s', async (path, field) => {
    expectProblem(await platform.ask(`GET ${path}`), 400, 'InvalidValue', { field });
  });

  it.each(['-1', '"x"', 'W/"1"', '"0"', '1.5', '"99999999999"'])('If-Match: %s', async (ifMatch) => {
    const headers = { 'if-match': ifMatch };
    expectProblem(await platform.ask(`DELETE /v1/documents/${documentId}`, { headers }), 400, 'InvalidValue', { field: 'If-Match' });
    expectProblem(await platform.ask(`PUT /v1/documents/${documentId}`, { headers, json: { text: 'x' } }), 400, 'InvalidValue', {
      field: 'If-Match',
    });
  });

  it.each<readonly [string, AskOptions, number, string]>([
    ['incomplete JSON', { body: '{"query": ', headers: { 'content-type': 'application/json' } }, 400, 'InvalidValue'],
    ['an empty body', { body: '', headers: { 'content-type': 'application/json' } }, 400, 'InvalidValue'],
    ['a prototype', { body: '{"query":"x","__proto__":{"topK":1}}', headers: { 'content-type': 'application/json' } }, 400, 'InvalidValue'],
    [
      'bytes that are not UTF-8',
      { body: Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]), headers: { 'content-type': 'application/json' } },
      400,
      'InvalidValue',
    ],
    ['XML', { body: '<query/>', headers: { 'content-type': 'application/xml' } }, 415, 'UnsupportedMediaType'],
    ['a form', { body: 'x', headers: { 'content-type': 'multipart/form-data' } }, 415, 'UnsupportedMediaType'],
    ['plain text', { body: 'words', headers: { 'content-type': 'text/plain' } }, 415, 'UnsupportedMediaType'],
    ['lines', { body: '{}', headers: { 'content-type': 'application/x-ndjson' } }, 415, 'UnsupportedMediaType'],
  ])('a body of %s', async (_, options, status, code) => {
    expectProblem(await platform.ask('POST /v1/search', options), status, code);
  });

  it.each([
    ['without a boundary', 'multipart/form-data', 'x'],
    [
      'that ends inside a file',
      'multipart/form-data; boundary=b',
      '--b\r\nContent-Disposition: form-data; name="file"; filename="a.md"\r\n\r\nbegins but never',
    ],
    ['without any parts', 'multipart/form-data; boundary=b', 'no parts at all'],
  ])('an upload %s', async (_, contentType, body) => {
    expectProblem(await platform.ask('POST /v1/documents', { body, headers: { 'content-type': contentType } }), 400, 'InvalidValue');
  });

  it.each(['GET /v1/nothing', 'PATCH /v1/documents', 'POST /v1/status', 'GET /v1/documents/%zz', 'GET /..%2f..%2fetc/passwd'])(
    '%s is not a route',
    async (route) => {
      const answer = await platform.ask(route);
      expect([400, 404, 405]).toContain(answer.status);
      expectProblem(answer, answer.status, { 400: 'InvalidValue', 404: 'NotFound', 405: 'MethodNotAllowed' }[answer.status] ?? '');
    },
  );

  it('a body that is larger than any document is not read', async () => {
    expectProblem(await platform.ask('POST /v1/documents', { json: { sourceId: 'huge.md', text: 'x'.repeat(3 * MIB) } }), 413, 'TooLarge');
    expectProblem(await platform.ask('POST /v1/search', { json: { query: 'x'.repeat(3 * MIB) } }), 413, 'TooLarge');
  });

  it('a file that is too large is refused, and the other files of the upload are accepted', async () => {
    const form = new FormData();
    for (const [name, size] of [
      ['small.md', 100],
      ['large.md', 1.5 * MIB],
      ['small-too.md', 100],
    ] as const)
      form.append('file', new File(['x'.repeat(size)], name));
    const answer = await platform.ask('POST /v1/documents', { body: form });
    expect(answer).toMatchObject({
      status: 202,
      json: {
        documents: [
          { sourceId: 'small.md', status: 'accepted' },
          { sourceId: 'small-too.md', status: 'accepted' },
          { sourceId: 'large.md', status: 'rejected', error: { code: 'TooLarge' } },
        ],
      },
    });
    const alone = new FormData();
    alone.append('file', new File(['x'.repeat(1.5 * MIB)], 'large.md'));
    expectProblem(await platform.ask('POST /v1/documents', { body: alone }), 413, 'TooLarge');
  });

  it('a text that is larger than the maximum document is refused', async () => {
    const answer = await platform.ask('POST /v1/documents', { json: { sourceId: 'long.md', text: 'x'.repeat(1.5 * MIB) } });
    expect([400, 413]).toContain(answer.status);
    expectProblem(answer, answer.status, answer.status === 413 ? 'TooLarge' : 'InvalidValue');
  });

  it.each([
    ['x', 'filter'],
    ['null', 'filter'],
    ['{"eq":{"field":"label.a"}}', 'filter\\.eq\\.value'],
    ['{"exists":{"field":"meta.author"}}', 'filter'],
    [JSON.stringify(nested(100)), 'filter'],
  ])('a list of documents with the filter %s is refused', async (filter, field) => {
    const answer = await platform.ask(`GET /v1/documents?filter=${encodeURIComponent(filter)}`);
    expect(expectProblem(answer, 400, 'InvalidValue').detail).toMatch(new RegExp(`^${field}[ .:]`));
  });

  it.each([
    ['POST /v1/search', { json: { query: 'x', atLeast: '99999999999999999' } }, 'atLeast'],
    ['POST /v1/context', { json: { query: 'x', atLeast: '99999999999999999' } }, 'atLeast'],
    ['GET /v1/documents', { headers: { 'palimpsest-at-least': '99999999999999999' }, fetch }, 'palimpsest-at-least'],
    ['GET /v1/events/live?after=99999999999999999', {}, 'after'],
  ])('a position beyond the end of the log is refused (%s)', async (route, options, field) => {
    const answer = await platform.ask(route, options);
    // A cluster may not know the end of its log for a while, so there the caller may retry.
    if (DISTRIBUTED) return void expectProblem(answer, 503, 'NotCaughtUp');
    expectProblem(answer, 400, 'InvalidValue');
    expect(answer.json).toMatchObject({ field });
  });

  it('an unknown knowledge base is not found', async () => {
    expectProblem(await platform.ask('POST /v1/documents', { json: { ...text, knowledgeBase: 'no-such' } }), 404, 'NotFound');
    expectProblem(await platform.ask('GET /v1/knowledge-bases/no-such'), 404, 'NotFound');
  });

  describe('a key', () => {
    const answerTo = (headers: Record<string, string>) => ask(platform.url, 'GET /v1/documents', { headers });
    it.each<readonly [string, Record<string, string>]>([
      ['that is missing', {}],
      ['that is unknown', { authorization: `Bearer plk_${'x'.repeat(43)}` }],
      ['that is empty', { authorization: 'Bearer ' }],
      ['of another scheme', { authorization: 'Basic dXNlcjpwYXNz' }],
      ['followed by another word', { authorization: 'Bearer plk_a plk_b' }],
    ])('%s', async (_, headers) => {
      const answer = await answerTo(headers);
      expectProblem(answer, 401, 'Unauthenticated');
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
    });

    it('is checked before the rest of the request', async () => {
      const answers = [
        await ask(platform.url, 'POST /v1/search', { json: { nonsense: true } }),
        await ask(platform.url, 'GET /v1/documents/nonsense', {}),
        await ask(platform.url, 'POST /v1/search', { body: '{"broken', headers: { 'content-type': 'application/json' } }),
        await ask(platform.url, 'POST /v1/documents', { json: { text: 'x'.repeat(3 * MIB) } }),
      ];
      for (const answer of answers) expectProblem(answer, 401, 'Unauthenticated');
    });
  });

  it('leave the platform healthy', async () => {
    expect((await platform.ask('GET /health/ready')).status).toBe(200);
    expect((await platform.client.search({ query: 'document that is there' })).hits.map(({ source }) => source)).toContain('there.md');
    const faults = platform.stderr.split('\n').filter((line) => /"level":(50|60)/.test(line));
    expect(faults).toEqual([]);
  });
});
