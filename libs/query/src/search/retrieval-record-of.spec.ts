import { openRequest } from '@palimpsest/contracts';
import { authorise, type RequiredLabels } from '@palimpsest/knowledge/access';
import type { ScopeCipher } from '@palimpsest/knowledge/ports';
import {
  chunkId,
  documentId,
  embeddingVersion,
  generationId,
  position,
  recipeWith,
  tenantId,
  vectorScope,
} from '@palimpsest/knowledge/values';
import { InMemoryScopeKeys } from '@palimpsest/test-kit';
import { keyScopeOf } from './key-scope.ts';
import { retrievalRecordOf } from './retrieval-record-of.ts';
import { searchRequest } from './search-request.ts';

const ACME = tenantId('acme');
const MODEL = embeddingVersion('onnx:mini/2');
const RUNTIME = { palimpsest: '0.2.0', node: 'v24', platform: 'linux-x64', analyser: '2' };
const scopesOf = (...names: readonly string[]) =>
  authorise(
    { tenant: ACME, teams: ['*'], user: 'ann', roles: ['reader'], actor: 'key' },
    names.map((name) => vectorScope(name)),
  );

const recordOf = (
  over: object,
  { cipher, withQuery = false }: Readonly<{ cipher: ScopeCipher; withQuery?: boolean }>,
  requiredLabels?: RequiredLabels,
) => {
  const hits = [{ chunkId: chunkId('b'.repeat(32)), documentId: documentId('a'.repeat(32)), score: 1, relevance: 1 }];
  const permitted = scopesOf('team:red');
  const searchable = permitted.map((scope) => ({
    scope,
    partition: { scope, generation: generationId('g1') },
    embeddingVersion: MODEL,
    recipe: recipeWith({ version: MODEL }, '2'),
  }));
  const targets = { requested: permitted.map(({ scope }) => scope), permitted, searchable };
  const searched = {
    hits,
    position: position(7n),
    timings: { totalMs: 1, stages: [] },
    targets,
    lexicalOnly: [],
    candidates: 100,
    pool: 3,
    denseWeights: [0.6],
    signs: [{ topStandard: 3.5, agreement: 0.4 }],
    failedCanaries: [],
    skipped: {},
    queryVectors: new Map([[MODEL, Float32Array.of(1, -2)]]),
    backgrounds: new Map([[MODEL, { count: 2, mean: 0.1, deviation: 0.05 }]]),
  };
  return retrievalRecordOf(
    {
      request: searchRequest({ query: 'Kessel', ...over }),
      requiredLabels,
      searched,
      traceId: 'trace',
      runtime: RUNTIME,
      retrievedAt: '2026-01-01T00:00:00.000Z',
    },
    { cipher, keyScope: vectorScope('team:red'), withQuery },
  ).data;
};

describe('The record of a retrieval', () => {
  const keys = new InMemoryScopeKeys();
  let cipher: ScopeCipher;
  beforeAll(async () => (cipher = await keys.cipher({ tenant: ACME, scope: vectorScope('team:red') })));

  it('holds the language given for the query', () => expect(recordOf({ language: 'de-CH' }, { cipher }).language).toBe('de-CH'));
  it('holds no language if none was given', () => expect('language' in recordOf({}, { cipher })).toBe(false));

  it('says that words were corrected, unless it was turned off or the key has required labels', () => {
    expect(recordOf({}, { cipher }).spelling).toBe(true);
    expect('spelling' in recordOf({ spelling: false }, { cipher })).toBe(false);
    expect('spelling' in recordOf({}, { cipher }, { department: ['hr'] })).toBe(false);
  });

  it('holds the complete request, the recipe and the runtime', () => {
    const filter = { in: { field: 'label.team', values: ['pumps'] } };
    const request = {
      topK: 3,
      minScore: 0.1,
      strategy: 'DenseSparseHybrid',
      fusion: 'rrf',
      knowledgeBases: ['handbook'],
      origins: ['UserContent'],
      atLeast: '5',
      snippetChars: 80,
      filter,
    };
    const record = recordOf(request, { cipher });
    const { filter: _, ...open } = request;
    expect(record).toMatchObject({
      ...open,
      filtered: true,
      limits: { candidates: 100, missFloor: 0.05 },
      runtime: RUNTIME,
      position: '7',
      pool: 3,
      requestedScopes: ['team:red'],
      permittedScopes: ['team:red'],
      generations: [
        { scope: 'team:red', generation: 'g1', embeddingVersion: MODEL, recipe: recipeWith({ version: MODEL }, '2'), denseWeight: 0.6 },
      ],
    });
    expect(record.generations[0]).toMatchObject({ topStandard: 3.5, agreement: 0.4 });
    expect(openRequest(cipher, 'trace', record.sealedRequest ?? '')).toEqual({ filter });
  });

  it('contains neither the query nor the values of the filter in the clear', () => {
    for (const withQuery of [false, true]) {
      const record = recordOf(
        { query: 'Zephyr pump pressure', terms: { required: ['Sirocco'] }, filter: { in: { field: 'label.team', values: ['Marigold'] } } },
        { cipher, withQuery },
      );
      expect(JSON.stringify(record)).not.toMatch(/Zephyr|pressure|Sirocco|Marigold|label\.team/);
    }
  });

  it('holds the query and its vectors, sealed, only if the tenant opted in', () => {
    expect(recordOf({}, { cipher }).sealedRequest).toBeUndefined();
    const { sealedRequest = '' } = recordOf({}, { cipher, withQuery: true });
    const { query, vectors = {} } = openRequest(cipher, 'trace', sealedRequest);
    expect({ query, vectors: Object.keys(vectors) }).toEqual({ query: 'Kessel', vectors: [MODEL] });
    expect(Buffer.from(Object.values(vectors)[0] ?? '', 'base64')).toEqual(Buffer.from(Float32Array.of(1, -2).buffer));
    expect(() => openRequest(cipher, 'another', sealedRequest)).toThrow(/./);
  });

  it('holds the cosines of unrelated passages, sealed, only if a minimum relevance depends on them', () => {
    expect(recordOf({ minScore: 0.1 }, { cipher }).sealedRequest).toBeUndefined();
    const { minRelevance, sealedRequest = '', ...open } = recordOf({ minRelevance: 0.2 }, { cipher });
    expect([minRelevance, openRequest(cipher, 'trace', sealedRequest)]).toEqual([
      0.2,
      { backgrounds: { [MODEL]: { count: 2, mean: 0.1, deviation: 0.05 } } },
    ]);
    expect(JSON.stringify(open)).not.toContain('deviation');
  });

  it('holds the terms, sealed, only together with the query, and their digest always', () => {
    const terms = { required: ['Ventil'], phrases: ['am Kessel'] };
    const [closed, open] = [recordOf({ terms }, { cipher }), recordOf({ terms }, { cipher, withQuery: true })];
    expect([closed.sealedRequest, closed.filtered]).toEqual([undefined, true]);
    expect(openRequest(cipher, 'trace', open.sealedRequest ?? '').terms).toEqual(terms);
    expect(closed.termsHash).toBe(open.termsHash);
    expect(recordOf({ terms: { ...terms, excluded: [] } }, { cipher }).termsHash).toBe(closed.termsHash);
    expect(recordOf({ terms: { excluded: ['Ventil'], phrases: ['am Kessel'] } }, { cipher }).termsHash).not.toBe(closed.termsHash);
    expect(recordOf({ terms: {} }, { cipher })).not.toHaveProperty('termsHash');
  });

  it('has equal digests for equal queries under one key, and others under another key', async () => {
    const other = await keys.cipher({ tenant: ACME, scope: vectorScope('team:blue') });
    const hash = (query: string, by: ScopeCipher) => recordOf({ query }, { cipher: by }).queryHash;
    expect(hash('Kessel', cipher)).toBe(hash('Kessel', cipher));
    expect(new Set([hash('Kessel', cipher), hash('Kessel ', cipher), hash('Kessel', other)]).size).toBe(3);
  });
});

describe('The scope whose key seals a record', () => {
  it.each([
    [['platform', 'deployment', 'team:red', 'user:ann'], 'user:ann'],
    [['deployment', 'team:red', 'team:blue'], 'team:blue'],
    [['platform', 'deployment'], 'deployment'],
    [['platform'], 'platform'],
    [[], 'deployment'],
  ])('is the narrowest: %j', (names, expected) => expect(keyScopeOf(scopesOf(...names))).toBe(expected));
});

describe('A search request', () => {
  it.each(['../../etc/passwd', 'en/../x', 'english', '', 'EN', `en-${'x'.repeat(100_000)}`, 'de\u0000', 7, null, ['de']])(
    'is rejected with the language %j',
    (language) => expect(() => searchRequest({ query: 'Kessel', language })).toThrow(/language/),
  );
});
