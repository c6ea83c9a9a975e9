import fc from 'fast-check';
import type { Answer } from '@palimpsest/e2e-support/ask';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { uploadFiles } from '@palimpsest/e2e-support/submit';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';

/** Spellings of the red team's scope, or of all scopes, that must not give access. */
const SCOPES = [
  'team:red',
  'team:*',
  '*',
  'TEAM:red',
  'Team:red',
  'team:RED',
  ' team:red',
  'team:red ',
  'team:red\n',
  'team:red\u0000',
  'team:\u0000red',
  'team:blue\u0000red',
  'team:blue,team:red',
  'team:blue/../red',
  'team:../red',
  'default/team:red',
  'default:team:red',
  'tenant:default/team:red',
  'user:*',
  'user:red',
  'team:r\u0435d',
  'team:\uff52ed',
  'team:re\u0301d',
  '\ufeffteam:red',
  'team:red\u200b',
  'team:red%00',
  'team%3Ared',
  'team::red',
  'team:',
  ':red',
  '',
  "team:red' OR '1'='1",
  'team:red"; DROP TABLE documents; --',
  'team:red/g1',
  'team:blue/g1/../../red',
  '__proto__',
  'constructor',
  '\ud800',
];

/** Conditions that would match chunks of the red team, if they were evaluated on them. */
const FILTERS = [
  { eq: { field: 'scope', value: 'team:red' } },
  { in: { field: 'scope', values: ['team:red', 'team:blue'] } },
  { prefix: { field: 'scope', value: 'team:' } },
  { eq: { field: 'tenant', value: 'default' } },
  { exists: { field: 'scope' } },
  { not: { eq: { field: 'scope', value: 'team:blue' } } },
  { not: { not: { exists: { field: 'label.of' } } } },
  { or: [{ eq: { field: 'knowledgeBase', value: 'kb-red' } }, { exists: { field: 'label.of' } }] },
  { eq: { field: 'knowledgeBase', value: 'kb-red' } },
  { eq: { field: 'label.of', value: 'red' } },
  { range: { field: 'label.of', gte: '' } },
  { exists: { field: '__proto__' } },
  { eq: { field: 'constructor', value: 'x' } },
  { and: [] },
  { eq: { field: 'scope', value: { $ne: '' } } },
  { $where: '1' },
  { should: [{ key: 'scope', match: { value: 'team:red' } }] },
  [],
  'team:red',
  1,
  null,
];

describe('hostile scopes, filters and cursors', () => {
  let platform: PlatformUnderTest;
  const keys: Record<string, string> = {};
  const ids: Record<string, readonly string[]> = {};
  const cursors: Readonly<{ of: string; route: string; cursor: string }>[] = [];

  beforeAll(async () => {
    platform = await PlatformUnderTest.start(await aDataFolder(), (await EmbeddingStandIn.open()).settings());
    const owners = [
      ['red', 'default', ['red']],
      ['blue', 'default', ['blue']],
      ['acme', 'acme', ['red']],
    ] as const;
    for (const [name, tenant, teams] of owners) {
      keys[name] = (await platform.client.operations.createApiKey({ name, tenant, teams, roles: ['writer'] })).key;
      const client = platform.as(keys[name]);
      await client.knowledgeBases.create({ id: `kb-${name}`, scope: `team:${teams[0]}`, chunking: { markdown: { maxChars: 200 } } });
      const text = (i: number) =>
        `# Rules\n\nThe secret of ${name}, number ${i}. ${'Common rules. '.repeat(20)}\n\n## More\n\nMore secrets of ${name}. ${'Common rules. '.repeat(20)}`;
      const submitted = await uploadFiles(
        client,
        [0, 1, 2].map((i) => ({ name: `${name}-${i}.md`, content: Buffer.from(text(i)) })),
        { knowledgeBase: `kb-${name}`, labels: { of: name } },
      );
      ids[name] = submitted.map(({ documentId }) => documentId);
      for (const route of [
        '/v1/documents?limit=1',
        `/v1/documents/${submitted[0]?.documentId}/chunks?limit=1`,
        '/v1/events?limit=1',
        `/v1/events?limit=1&document=${submitted[0]?.documentId}`,
      ]) {
        const { next } = (await platform.ask(`GET ${route}`, { key: keys[name] })).json;
        cursors.push({ of: name, route, cursor: String(next) });
      }
    }
  });

  /** Expects that the response to blue contains nothing of red or of the other tenant. */
  const expectNoLeak = (about: unknown, { status, text }: Answer): void => {
    const foreign = ['red', 'acme'].filter(
      (name) =>
        text.includes(`secret of ${name}`) ||
        text.includes(`secrets of ${name}`) ||
        (status < 400 && (ids[name] ?? []).some((id) => text.includes(id))) ||
        (status < 400 && text.includes(`${name}-0.md`)),
    );
    expect({ about, foreign, fault: status >= 500 ? text : '' }).toEqual({ about, foreign: [], fault: '' });
  };
  const blue = (route: string, json?: unknown) => platform.ask(route, { key: keys['blue'], ...(json === undefined ? {} : { json }) });

  it('no spelling of a scope gives access', async () => {
    for (const scope of SCOPES) {
      for (const route of ['POST /v1/search', 'POST /v1/context'])
        expectNoLeak({ route, scope }, await blue(route, { query: 'common rules, secret of red', scopes: [scope] }));
      const written = encodeURIComponent(scope.isWellFormed() ? scope : 'x');
      for (const route of [
        `GET /v1/events?scope=${written}`,
        ...(written === '' ? [] : [`GET /v1/scopes/${written}/reembed`, `GET /v1/exports/${written}`]),
      ])
        expectNoLeak(route, await blue(route));
    }
  });

  it('a filter is evaluated only on what the caller may read', async () => {
    for (const filter of FILTERS)
      for (const strategy of ['DenseSparseHybrid', 'SparseOnly', 'DenseOnly'])
        expectNoLeak(
          { filter, strategy },
          await blue('POST /v1/search', { query: 'common rules, secret of red', filter, strategy, topK: 100 }),
        );
  });

  it('a cursor of another caller, tenant, list or document shows nothing of theirs', async () => {
    expect(cursors.filter(({ cursor }) => cursor === 'undefined')).toEqual([]);
    for (const { cursor, of, route } of cursors)
      for (const list of [
        `/v1/documents?limit=500`,
        '/v1/documents?limit=500&knowledgeBase=kb-red',
        `/v1/documents/${ids['blue']?.[0]}/chunks?limit=500`,
        `/v1/documents/${ids['red']?.[0]}/chunks?limit=500`,
        '/v1/events?limit=200',
        `/v1/events?document=${ids['blue']?.[0]}`,
        `/v1/events?document=${ids['red']?.[0]}`,
      ])
        expectNoLeak({ of, route, list }, await blue(`GET ${list}&cursor=${encodeURIComponent(cursor)}`));
  });

  it('a manipulated cursor is refused, or continues within what the caller may read', async () => {
    const known = fc.constantFrom(...cursors.map(({ cursor }) => cursor));
    const tampered = fc.oneof(
      fc
        .tuple(known, fc.nat(), fc.string({ minLength: 1, maxLength: 3 }))
        .map(([cursor, at, put]) => cursor.slice(0, at % cursor.length) + put + cursor.slice((at % cursor.length) + 1)),
      fc
        .array(fc.oneof(fc.string(), fc.integer(), fc.constant(null)), { maxLength: 4 })
        .map((parts) => Buffer.from(JSON.stringify(parts)).toString('base64url')),
      fc.jsonValue().map((value) => Buffer.from(JSON.stringify(value)).toString('base64url')),
      fc.bigInt({ min: -1n, max: 10n ** 25n }).map((position) => `p${position}`),
    );
    await fc.assert(
      fc.asyncProperty(
        tampered,
        fc.constantFrom(
          '/v1/documents?limit=500',
          `/v1/documents/${ids['blue']?.[0]}/chunks?limit=500`,
          '/v1/events?limit=200',
          `/v1/events?document=${ids['blue']?.[0]}`,
        ),
        async (cursor, list) => {
          const answer = await blue(`GET ${list}&cursor=${encodeURIComponent(cursor.isWellFormed() ? cursor : 'x')}`);
          expectNoLeak({ list, cursor }, answer);
          if (answer.status !== 200) expect(answer.json).toMatchObject({ status: 400, code: 'InvalidValue', field: 'cursor' });
        },
      ),
      { numRuns: 100 },
    );
  });
});
