import { expectProblem, type Answer } from '@palimpsest/e2e-support/ask';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { submitText } from '@palimpsest/e2e-support/submit';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';

/** All owners have the same text, except for one word of their own. */
const secretOf = (owner: string): string => `The common plan of the spring festival. Only ${owner} knows the word ${wordOf(owner)}.`;
const wordOf = (owner: string): string => `secret${owner.replaceAll(/[^a-z]/g, '')}`;

/** The owners, with the tenant and scope that each of them writes to. */
const OWNERS = [
  { name: 'shared', tenant: 'default', scope: 'deployment', key: { teams: ['red'], user: 'ann' } },
  { name: 'red', tenant: 'default', scope: 'team:red', key: { teams: ['red'] } },
  { name: 'blue', tenant: 'default', scope: 'team:blue', key: { teams: ['blue'] } },
  { name: 'ann', tenant: 'default', scope: 'user:ann', key: { user: 'ann' } },
  { name: 'bob', tenant: 'default', scope: 'user:bob', key: { user: 'bob' } },
  { name: 'acmered', tenant: 'acme', scope: 'team:red', key: { teams: ['red'] } },
  { name: 'acmeshared', tenant: 'acme', scope: 'deployment', key: { teams: ['red'], user: 'ann' } },
  { name: 'acmeann', tenant: 'acme', scope: 'user:ann', key: { user: 'ann' } },
] as const;

/** The callers, with the owners whose texts they may see. */
const CALLERS = [
  { caller: 'red', tenant: 'default', key: { teams: ['red'] }, sees: ['shared', 'red'] },
  { caller: 'blue', tenant: 'default', key: { teams: ['blue'] }, sees: ['shared', 'blue'] },
  { caller: 'ann of red', tenant: 'default', key: { teams: ['red'], user: 'ann' }, sees: ['shared', 'red', 'ann'] },
  {
    caller: 'bob of red and blue',
    tenant: 'default',
    key: { teams: ['red', 'blue'], user: 'bob' },
    sees: ['shared', 'red', 'blue', 'bob'],
  },
  { caller: 'every team', tenant: 'default', key: { teams: ['*'] }, sees: ['shared', 'red', 'blue'] },
  { caller: 'a user called *', tenant: 'default', key: { user: '*' }, sees: ['shared'] },
  { caller: 'a key without team and user', tenant: 'default', key: {}, sees: ['shared'] },
  { caller: 'red of acme', tenant: 'acme', key: { teams: ['red'] }, sees: ['acmeshared', 'acmered'] },
  { caller: 'ann of acme', tenant: 'acme', key: { teams: ['*'], user: 'ann' }, sees: ['acmeshared', 'acmered', 'acmeann'] },
  { caller: 'all of a third tenant', tenant: 'third', key: { teams: ['*'], user: 'ann', roles: ['admin'] }, sees: [] },
] as const;

const ALL_SCOPES = [...new Set(OWNERS.map(({ scope }) => scope))];

describe('data of one owner is never shown to another', () => {
  let platform: PlatformUnderTest;
  let position: string;
  const documents = new Map<string, string>();
  const keyOf = async (key: object) => (await platform.client.operations.createApiKey({ name: 'test', ...key })).key;

  beforeAll(async () => {
    platform = await PlatformUnderTest.start(await aDataFolder(), (await EmbeddingStandIn.open()).settings());
    for (const { name, tenant, scope, key } of OWNERS) {
      const client = platform.as(await keyOf({ ...key, tenant, roles: ['writer'] }));
      await client.knowledgeBases.create({ id: `kb-${name}`, scope });
      // Same source, and the same text except for one word: only the scope distinguishes the documents.
      const { documentId } = await submitText(client, {
        knowledgeBase: `kb-${name}`,
        sourceId: 'plan.md',
        text: secretOf(name),
        labels: { owner: name },
      });
      documents.set(name, documentId);
    }
    position = (await platform.client.operations.status()).log?.position ?? '';
  });

  const leaks = ({ text }: Answer, sees: readonly string[]): string[] =>
    OWNERS.map(({ name }) => name).filter(
      (name) =>
        !sees.includes(name) &&
        (text.includes(wordOf(name)) || text.includes(`kb-${name}"`) || text.includes(documents.get(name) ?? 'none')),
    );

  describe.each(CALLERS)('$caller', ({ tenant, key, sees }) => {
    let callersKey: string;
    const ask = (route: string, json?: unknown) => platform.ask(route, { key: callersKey, ...(json === undefined ? {} : { json }) });
    beforeAll(async () => (callersKey = await keyOf({ ...key, tenant })));

    it.each(['DenseSparseHybrid', 'DenseOnly', 'SparseOnly'])('finds its own and no other (%s)', async (strategy) => {
      const own = OWNERS.filter(({ name }) => (sees as readonly string[]).includes(name));
      const searches = [
        {},
        ...(own.length === 0 ? [] : [{ scopes: own.map(({ scope }) => scope) }, { knowledgeBases: own.map(({ name }) => `kb-${name}`) }]),
        { atLeast: position },
        { explain: true, topK: 100 },
        { filter: { exists: { field: 'label.owner' } } },
        { filter: { not: { eq: { field: 'label.owner', value: 'x' } } } },
        { minScore: -1 },
      ];
      for (const more of searches) {
        const answer = await ask('POST /v1/search', {
          query: `common plan of the spring festival ${wordOf('red')} ${wordOf('acmered')}`,
          strategy,
          ...more,
        });
        expect({ more, status: answer.status, leaks: leaks(answer, sees) }).toEqual({ more, status: 200, leaks: [] });
        const hits = answer.json['hits'] as { documentId: string; knowledgeBase: string; scope: string }[];
        expect(hits.map(({ documentId }) => documentId).sort()).toEqual(own.map(({ name }) => documents.get(name)).sort());
        expect(hits.map(({ scope }) => scope).sort()).toEqual(own.map(({ scope }) => scope).sort());
      }
    });

    it('finds nothing with the words of others; their scopes and knowledge bases do not exist for it', async () => {
      const everything = await ask('POST /v1/search', { query: 'plan', scopes: ALL_SCOPES });
      expectProblem(everything, 404, 'NotFound');
      expect(leaks(everything, sees)).toEqual([]);
      for (const { name, scope } of OWNERS.filter((owner) => !(sees as readonly string[]).includes(owner.name))) {
        const words = await ask('POST /v1/search', { query: wordOf(name), strategy: 'SparseOnly', spelling: false });
        // A word of its own may be one mistake away: "secretacmeant" has the stem of "secretacmered".
        const corrected = await ask('POST /v1/search', { query: wordOf(name), strategy: 'SparseOnly' });
        const owners = (corrected.json['hits'] as readonly Readonly<{ labels: Readonly<{ owner: string }> }>[]).map(
          ({ labels }) => labels.owner,
        );
        expect({ name, others: owners.filter((owner) => !(sees as readonly string[]).includes(owner)) }).toEqual({ name, others: [] });
        const labelled = await ask('POST /v1/search', {
          query: 'plan',
          scopes: [scope],
          filter: { eq: { field: 'label.owner', value: name } },
        });
        const based = await ask('POST /v1/search', { query: 'plan', knowledgeBases: [`kb-${name}`] });
        expect({ name, status: words.status, hits: words.json['hits'] }).toEqual({ name, status: 200, hits: [] });
        // In another tenant, a scope of the same name belongs to the caller: it exists and contains nothing of the owner.
        if (labelled.status === 200) expect({ name, hits: labelled.json['hits'] }).toEqual({ name, hits: [] });
        else expect(expectProblem(labelled, 404, 'NotFound').detail).toBe(`scope "${scope}" not found`);
        expect(expectProblem(based, 404, 'NotFound').detail).toBe(`knowledge base "kb-${name}" not found`);
      }
    });

    it('gets no data of others in contexts, lists and status', async () => {
      const answers = [
        await ask('POST /v1/context', { query: 'plan of the spring festival', maxTokens: 2000 }),
        await ask('GET /v1/documents?limit=500'),
        await ask('GET /v1/documents?source=plan'),
        await ask('GET /v1/knowledge-bases'),
        await ask('GET /v1/status'),
      ];
      for (const answer of answers) expect({ status: answer.status, leaks: leaks(answer, sees) }).toEqual({ status: 200, leaks: [] });
      const listed = answers[1]?.json['documents'] as { documentId: string }[];
      expect(listed.map(({ documentId }) => documentId).sort()).toEqual(sees.map((name) => documents.get(name)).sort());
      const scopes = (answers[4]?.json['scopes'] as { scope: string }[]).map(({ scope }) => scope);
      expect(scopes.sort()).toEqual(
        OWNERS.filter(({ name }) => (sees as readonly string[]).includes(name))
          .map(({ scope }) => scope)
          .sort(),
      );
    });

    it('gets no documents or chunks of others, also not through filters of lists', async () => {
      for (const { name } of OWNERS.filter((owner) => !(sees as readonly string[]).includes(owner.name))) {
        const id = documents.get(name) ?? '';
        for (const route of [`GET /v1/documents/${id}`, `GET /v1/documents/${id}/chunks`, `GET /v1/knowledge-bases/kb-${name}`])
          expectProblem(await ask(route), 404, 'NotFound');
        expectProblem(await ask(`GET /v1/documents?knowledgeBase=kb-${name}`), 404, 'NotFound');
      }
    });
  });

  it('an id depends on tenant, knowledge base and source: the same source elsewhere is another document', () => {
    expect(new Set(documents.values()).size).toBe(OWNERS.length);
  });

  it('another tenant’s cursor shows nothing of that tenant', async () => {
    const acme = await keyOf({ tenant: 'acme', teams: ['red'], user: 'ann', roles: ['reader'] });
    const next = (await platform.ask('GET /v1/documents?limit=1', { key: acme })).json['next'] as string;
    expect(next).toEqual(expect.any(String));
    const answer = await platform.ask(`GET /v1/documents?limit=500&cursor=${encodeURIComponent(next)}`, {
      key: await keyOf({ teams: ['red'] }),
    });
    expect(leaks(answer, ['shared', 'red'])).toEqual([]);
  });

  it('no caller can write to a scope that it may not read', async () => {
    const red = await keyOf({ teams: ['red'], roles: ['writer'] });
    for (const scope of ['team:blue', 'user:ann', 'team:never'])
      expectProblem(await platform.ask('POST /v1/knowledge-bases', { key: red, json: { id: 'mine', scope } }), 404, 'NotFound');
    const foreign = await platform.ask('POST /v1/documents', { key: red, json: { knowledgeBase: 'kb-blue', sourceId: 'x.md', text: 'x' } });
    const unknown = await platform.ask('POST /v1/documents', { key: red, json: { knowledgeBase: 'kb-none', sourceId: 'x.md', text: 'x' } });
    expectProblem(foreign, 404, 'NotFound');
    expect(foreign.text.replace('kb-blue', '')).toBe(unknown.text.replace('kb-none', ''));
  });

  it('a knowledge base of the same name in another tenant is a different one', async () => {
    const third = platform.as(await keyOf({ tenant: 'third', roles: ['writer'] }));
    await third.knowledgeBases.create({ id: 'kb-shared' });
    await submitText(third, { knowledgeBase: 'kb-shared', sourceId: 'plan.md', text: 'Another plan of the spring festival.' });
    const { hits } = await third.search({ query: 'plan of the spring festival' });
    expect(hits.map(({ text }) => text)).toEqual(['Another plan of the spring festival.']);
  });

  it('a revoked key stops working immediately for all routes', async () => {
    const issued = await platform.client.operations.createApiKey({ name: 'short-lived', roles: ['admin'] });
    expect((await platform.ask('GET /v1/documents', { key: issued.key })).status).toBe(200);
    await platform.client.operations.revokeApiKey(issued.keyId);
    for (const route of ['GET /v1/documents', 'GET /v1/status', 'GET /v1/api-keys', 'POST /v1/search'])
      expectProblem(
        await platform.ask(route, { key: issued.key, ...(route.startsWith('POST') ? { json: { query: 'plan' } } : {}) }),
        401,
        'Unauthenticated',
      );
    expectProblem(await platform.ask(`DELETE /v1/api-keys/${issued.keyId}`), 404, 'NotFound');
    expect((await platform.client.operations.listApiKeys()).map(({ keyId }) => keyId)).not.toContain(issued.keyId);
  });

  it('lists of keys contain neither secrets nor hashes', async () => {
    const { text } = await platform.ask('GET /v1/api-keys');
    expect(text).not.toMatch(/plk_|"hash"|[0-9a-f]{64}/);
  });
});
