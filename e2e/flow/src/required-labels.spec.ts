import type { NewApiKey, PalimpsestClient } from '@palimpsest/client';
import { expectProblem } from '@palimpsest/e2e-support/ask';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { submitText } from '@palimpsest/e2e-support/submit';

const SECRET = 'quokkaburrow';
const UNKNOWN = 'f'.repeat(32);

describe('a key that requires labels', () => {
  let data: string;
  let standIn: EmbeddingStandIn;
  let platform: PlatformUnderTest;
  let ids: Readonly<Record<string, string>>;
  let key: Readonly<Record<'hr' | 'both', string>>;
  let hr: PalimpsestClient;
  const keyOf = async (over: Partial<NewApiKey>) =>
    (await platform.client.operations.createApiKey({ name: 'limited', teams: ['red'], roles: ['writer'], ...over })).key;
  const submit = (sourceId: string, text: string, labels: Record<string, string> = {}) =>
    submitText(platform.client, { knowledgeBase: 'papers', sourceId, text, labels });
  const sourcesOf = async (client: PalimpsestClient) =>
    (await client.documents.list({ limit: 500 })).documents.map(({ sourceId }) => sourceId);
  const found = async (client: PalimpsestClient, request: object = {}) =>
    (await client.search({ query: SECRET, topK: 20, ...request })).hits.map(({ source }) => source).sort();

  beforeAll(async () => {
    [data, standIn] = [await aDataFolder(), await EmbeddingStandIn.open()];
    platform = await PlatformUnderTest.start(data, standIn.settings());
    await platform.client.knowledgeBases.create({ id: 'papers', scope: 'team:red' });
    ids = {
      hr: (await submit('hr.md', `The ${SECRET} of people.`, { department: 'hr' })).documentId,
      legal: (await submit('legal.md', `The ${SECRET} of contracts.`, { department: 'legal' })).documentId,
      none: (await submit('none.md', `The ${SECRET} of no department in particular.`)).documentId,
    };
    key = {
      hr: await keyOf({ requiredLabels: { department: ['hr'] } }),
      both: await keyOf({ requiredLabels: { department: ['hr', 'legal'] } }),
    };
    hr = platform.as(key.hr);
  });
  afterAll(() => platform.stop());

  it('says so', async () => {
    expect(await hr.me()).toMatchObject({ roles: ['writer'], requiredLabels: { department: ['hr'] } });
    expect(await platform.client.me()).not.toHaveProperty('requiredLabels');
    expect((await platform.client.operations.listApiKeys()).filter(({ name }) => name === 'limited')).toMatchObject([
      { requiredLabels: { department: ['hr'] } },
      { requiredLabels: { department: ['hr', 'legal'] } },
    ]);
  });

  it.each<[string, object, string]>([
    ['of an admin', { roles: ['admin'], requiredLabels: { department: ['hr'] } }, 'roles'],
    ['that requires nothing', { requiredLabels: {} }, 'requiredLabels'],
    ['without a value', { requiredLabels: { department: [] } }, 'requiredLabels.department'],
    ['with the name of no label', { requiredLabels: { '1': ['hr'] } }, 'requiredLabels.1'],
    ['with text instead of a list', { requiredLabels: { department: 'hr' } }, 'requiredLabels.department'],
  ])('is not created %s', async (_, json, field) => {
    expectProblem(await platform.ask('POST /v1/api-keys', { json: { name: 'bad', ...json } }), 400, 'InvalidValue', { field });
  });

  it('finds only documents with these labels, however it searches', async () => {
    expect(await found(platform.client)).toEqual(['hr.md', 'legal.md', 'none.md']);
    for (const strategy of ['DenseOnly', 'SparseOnly', 'DenseSparseHybrid'] as const) {
      expect(await found(hr, { strategy })).toEqual(['hr.md']);
      expect(await found(platform.as(key.both), { strategy, knowledgeBases: ['papers'] })).toEqual(['hr.md', 'legal.md']);
    }
    const all = { or: [{ exists: { field: 'source' } }, { not: { exists: { field: 'source' } } }] };
    expect(await found(hr, { filter: all })).toEqual(['hr.md']);
    expect(await found(hr, { filter: { eq: { field: 'label.department', value: 'legal' } } })).toEqual([]);
    const context = await hr.context({ query: SECRET });
    expect(JSON.stringify(context)).toContain('of people');
    expect(JSON.stringify(context)).not.toMatch(/contracts|particular/);
  });

  it('lists and counts nothing else', async () => {
    expect(await sourcesOf(hr)).toEqual(['hr.md']);
    const page = await hr.documents.list({ limit: 1, total: true, filter: { exists: { field: 'source' } } });
    expect([page.total, page.next]).toEqual([1, undefined]);
    expect((await hr.documents.list({ limit: 1, total: true })).total).toBe(1);
    expect(await hr.knowledgeBases.get('papers')).toMatchObject({ documents: 1 });
    expect((await hr.knowledgeBases.list()).map(({ documents }) => documents)).toEqual([1]);
    // The page after a document that this key does not see.
    const { next } = await platform.client.documents.list({ knowledgeBase: 'papers', limit: 2 });
    expect(next).toBeDefined();
    expect((await hr.documents.list({ knowledgeBase: 'papers', cursor: next as string })).documents).toEqual([]);
  });

  it('gets the same response for a document without them as for one that does not exist', async () => {
    const json = { text: 'Mine now.', labels: { department: 'hr' } };
    const routes = [
      ['GET /v1/documents/{id}'],
      ['GET /v1/documents/{id}/chunks'],
      ['GET /v1/documents/{id}/versions/1'],
      ['GET /v1/documents/{id}/diff'],
      ['GET /v1/documents/live?document={id}'],
      ['PUT /v1/documents/{id}', { json }],
      ['DELETE /v1/documents/{id}'],
      ['POST /v1/documents/{id}/retry'],
    ] as const;
    for (const [route, more = {}] of routes)
      for (const id of [ids['legal'], ids['none']] as string[]) {
        const ask = (of: string) => platform.ask(route.replace('{id}', of), { key: key.hr, ...more });
        const [theirs, unknown] = [await ask(id), await ask(UNKNOWN)];
        expectProblem(theirs, 404, 'NotFound');
        expect({ route, text: theirs.text.replaceAll(id, '<id>') }).toEqual({ route, text: unknown.text.replaceAll(UNKNOWN, '<id>') });
      }
    expect(await platform.client.documents.get(ids['legal'] as string)).toMatchObject({ version: 1, status: 'indexed' });
  });

  it('adds documents with the only label that it allows, and none with others', async () => {
    const added = await submitText(hr, { knowledgeBase: 'papers', sourceId: 'added.md', text: `Another ${SECRET}.` });
    expect(added.document.labels).toEqual({ department: 'hr' });
    const ask = (json: object, by = key.hr) =>
      platform.ask('POST /v1/documents', { key: by, json: { knowledgeBase: 'papers', sourceId: 'bad.md', text: 'Bad.', ...json } });
    expectProblem(await ask({ labels: { department: 'legal' } }), 400, 'InvalidValue', { field: 'labels.department' });
    expectProblem(await ask({}, key.both), 400, 'InvalidValue', { field: 'labels.department' });
    expectProblem(
      await platform.ask(`PUT /v1/documents/${added.documentId}`, { key: key.hr, json: { text: 'Bad.', labels: { department: 'legal' } } }),
      400,
      'InvalidValue',
      { field: 'labels.department' },
    );
    const taken = await ask({ sourceId: 'legal.md', labels: { department: 'hr' } });
    expect(expectProblem(taken, 403, 'Forbidden').detail).toBe(
      'sourceId: a document with this source exists, without the labels that the API key requires',
    );
    expect(await found(platform.client)).toEqual(['added.md', 'hr.md', 'legal.md', 'none.md']);
  });

  it('deletes only documents with them', async () => {
    const selection = { knowledgeBase: 'papers', filter: { exists: { field: 'source' } } } as const;
    expect(await hr.documents.removeMatching({ ...selection, dryRun: true })).toMatchObject({ matching: 2 });
    expect(await hr.documents.removeMatching({ ...selection, source: 'added' })).toMatchObject({ matching: 1, deleted: 1 });
    expect(await found(platform.client)).toEqual(['hr.md', 'legal.md', 'none.md']);
  });

  it('sees a document from the version on that has them, and nothing of it once the latest has not', async () => {
    await submit('moves.md', `The old ${SECRET}.`, { department: 'legal' });
    expect(await found(hr)).toEqual(['hr.md']);
    const { documentId } = await submit('moves.md', `The new ${SECRET}.`, { department: 'hr' });
    expect(await found(hr)).toEqual(['hr.md', 'moves.md']);
    expect(JSON.stringify(await hr.context({ query: SECRET }))).not.toContain('The old');
    expectProblem(await platform.ask(`GET /v1/documents/${documentId}/versions/1`, { key: key.hr }), 404, 'NotFound');
    expectProblem(await platform.ask(`GET /v1/documents/${documentId}/diff`, { key: key.hr }), 404, 'NotFound');
    expect((await platform.ask(`GET /v1/documents/${documentId}/versions/2`, { key: key.hr })).status).toBe(200);
    await submit('moves.md', `The last ${SECRET}.`);
    expect(await found(hr)).toEqual(['hr.md']);
    expectProblem(await platform.ask(`GET /v1/documents/${documentId}/versions/2`, { key: key.hr }), 404, 'NotFound');
  });

  it('has no past', async () => {
    const { position } = await platform.client.search({ query: SECRET });
    for (const route of [`GET /v1/documents?asOf=${position}`, `GET /v1/documents/${ids['hr']}?asOf=${position}`])
      expectProblem(await platform.ask(route, { key: key.hr }), 403, 'Forbidden');
    expectProblem(await platform.ask('POST /v1/search', { key: key.hr, json: { query: SECRET, asOf: position } }), 403, 'Forbidden');
  });

  it('is refused for what concerns documents with any labels, with the reason', async () => {
    for (const route of ['GET /v1/events', 'GET /v1/overview', 'GET /v1/status', 'GET /v1/usage', 'POST /v1/knowledge-bases/papers/pause'])
      expect(expectProblem(await platform.ask(route, { key: key.hr }), 403, 'Forbidden').detail).toBe(
        'this operation cannot be limited to documents with certain labels; the API key is for documents with department=hr only',
      );
  });

  it('is on the log, and applies after a restart', async () => {
    await platform.stop();
    platform = await PlatformUnderTest.start(data, standIn.settings());
    hr = platform.as(key.hr);
    expect(await found(hr)).toEqual(['hr.md']);
    expect(await sourcesOf(hr)).toEqual(['hr.md']);
  });
});
