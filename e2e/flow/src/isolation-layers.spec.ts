import { authorise, IsolationBreach } from '@palimpsest/knowledge/access';
import { DEFAULT_TENANT, tenantId, vectorScope } from '@palimpsest/knowledge/values';
import type { PermittedScope } from '@palimpsest/knowledge/access';
import type { Catalog, IndexQuery, ReadablePartition } from '@palimpsest/knowledge/read-models';
import { LayeredPlatform, leaks, type Seam } from './layered-platform.ts';

/** Every scope of every tenant. */
const EVERYTHING: readonly PermittedScope[] = [DEFAULT_TENANT, tenantId('other')].flatMap((tenant) =>
  authorise(
    { tenant, teams: ['*'], roles: ['reader'], actor: 'test' },
    ['platform', 'deployment', 'team:red', 'team:blue'].map((scope) => vectorScope(scope)),
  ),
);

/** The scopes of the tenant that owns the secrets. */
const THEIRS = EVERYTHING.filter(({ tenant }) => tenant === DEFAULT_TENANT);

const joined = (own: unknown, theirs: unknown): unknown => {
  if (Array.isArray(own)) return [...(own as unknown[]), ...(theirs as unknown[])];
  if (typeof own === 'object' && own !== null && 'items' in own)
    return { ...own, items: joined(own.items, (theirs as { items: unknown }).items) };
  return own ?? theirs;
};

/** A catalog whose reads also return data of another tenant and other teams. */
const withoutFilter = (catalog: Catalog): Catalog =>
  new Proxy(catalog, {
    get: (target, name: keyof Catalog) => {
      const member: unknown = target[name];
      if (typeof member !== 'function') return member;
      const method = member.bind(target) as (...args: unknown[]) => Promise<unknown>;
      const reads = ['knowledgeBases', 'knowledgeBase', 'documents', 'document', 'versions', 'chunksOf', 'chunks', 'visible'].includes(
        name,
      );
      return reads
        ? async (scopes: unknown, ...rest: unknown[]) => joined(await method(scopes, ...rest), await method(THEIRS, ...rest))
        : method;
    },
  });

type Search<Input> = (partition: ReadablePartition, input: Input, query: IndexQuery) => Promise<readonly object[]>;

/** An index that searches every partition, whichever was requested. */
const withoutPartitions = <Input, Index extends Readonly<{ search: Search<Input> }>>(index: Index): Index =>
  new Proxy(index, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (name !== 'search') return typeof member === 'function' ? (member.bind(target) as unknown) : member;
      const search: Search<Input> = async ({ generation }, input, query) =>
        (await Promise.all(EVERYTHING.map((scope) => target.search({ scope, generation }, input, query)))).flat();
      return search;
    },
  });

const SEAMS: Readonly<Record<string, Seam>> = {
  nothing: () => ({}),
  'the catalog’s filter': ({ catalog }) => ({ catalog: withoutFilter(catalog) }),
  'the indexes’ partitions': ({ vectors, lexical }) => ({
    vectors: withoutPartitions<Float32Array, typeof vectors>(vectors),
    lexical: withoutPartitions<string, typeof lexical>(lexical),
  }),
};

describe.each(Object.keys(SEAMS))('the layers of isolation, without %s', (missing) => {
  let platform: LayeredPlatform;
  let red: Awaited<ReturnType<LayeredPlatform['fill']>>;
  beforeAll(async () => {
    platform = await LayeredPlatform.start(SEAMS[missing]);
    red = await platform.fill();
  });

  it.each([
    ['another team', DEFAULT_TENANT, { teams: ['blue'], roles: ['writer'] }],
    ['another team’s admin', DEFAULT_TENANT, { teams: ['blue'], roles: ['admin'] }],
    ['another tenant', 'other', { teams: ['*'], roles: ['admin'] }],
    ['an operator', DEFAULT_TENANT, { teams: ['*'], roles: ['operator'] }],
  ] as const)('show nothing to %s', async (_, tenant, key) => {
    expect(leaks(await platform.attempts(await platform.keyOf(tenant, key), red))).toEqual([]);
  });

  it('show the document to callers who may read it', async () => {
    const owner = await platform.keyOf(DEFAULT_TENANT, { teams: ['red'], roles: ['reader'] });
    const { answer } = (await platform.attempts(owner, red)).find(({ route }) => route === `GET /v1/documents/${red.documentId}`) ?? {};
    expect(answer).toMatchObject({ status: 200, json: { title: 'Stable rules' } });
  });

  it('report that a leak was prevented, and only then', () => {
    const noticed = platform.faults.filter((fault) => fault instanceof IsolationBreach);
    expect(noticed.length > 0).toBe(missing === 'the catalog’s filter');
    // Only the catalog's filter, if it is missing, leads to faults.
    if (missing !== 'the catalog’s filter') expect(platform.faults).toEqual([]);
  });
});
