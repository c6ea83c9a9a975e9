import { expectProblem } from '@palimpsest/e2e-support/ask';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { one, submitText, uploadFiles } from '@palimpsest/e2e-support/submit';

const TEXT = 'The quokka burrows below the hill.';

describe('declared fields', () => {
  let standIn: EmbeddingStandIn;
  let platform: PlatformUnderTest;
  const submit = (sourceId: string, labels: Record<string, string | readonly string[]>) =>
    submitText(platform.client, { knowledgeBase: 'contracts', sourceId, text: TEXT, labels });
  const found = async (filter: object, asOf?: string) => {
    const request = { query: 'quokka', knowledgeBases: ['contracts'], filter: filter as never, ...(asOf === undefined ? {} : { asOf }) };
    return (await platform.client.search(request)).hits.map(({ source }) => source).sort();
  };
  const listed = async (filter: object) => {
    const page = await platform.client.documents.list({ knowledgeBase: 'contracts', filter: filter as never, limit: 1, total: true });
    return [page.documents.map(({ sourceId }) => sourceId), page.total, page.next === undefined];
  };

  beforeAll(async () => {
    standIn = await EmbeddingStandIn.open();
    platform = await PlatformUnderTest.start(await aDataFolder(), standIn.settings());
    await platform.client.knowledgeBases.create({ id: 'contracts', scope: 'team:red' });
    await submit('early.md', { value: '900', ends: 'someday' });
  });
  afterAll(() => platform.stop());

  it('apply to the next search, also to documents that were indexed before', async () => {
    const { knowledgeBases } = platform.client;
    expect(await found({ range: { field: 'label.value', gte: '1000' } })).toEqual(['early.md']);
    const { position, fields } = await knowledgeBases.update('contracts', { fields: { 'label.value': 'number', 'label.ends': 'date' } });
    expect(fields).toEqual({ 'label.ends': 'date', 'label.value': 'number' });
    await submit('late.md', { value: '1500.0', ends: '2026-11-28T01:00:00+02:00' });
    expect((await knowledgeBases.get('contracts')).fields).toEqual(fields);
    expect(await found({ range: { field: 'label.value', gte: '1000' } })).toEqual(['late.md']);
    expect(await found({ eq: { field: 'label.value', value: 1500 } })).toEqual(['late.md']);
    expect(await found({ range: { field: 'label.ends', lt: '2026-11-28' } })).toEqual(['late.md']);
    expect(await found({ not: { range: { field: 'label.ends', lt: '2026-11-28' } } })).toEqual(['early.md']);
    expect(await found({ range: { field: 'label.value', gte: '1000' } }, String(BigInt(position) - 1n))).toEqual(['early.md']);
  });

  it('refuse labels and filters of another type, and fields that are not declared', async () => {
    const json = { knowledgeBase: 'contracts', sourceId: 'bad.md', text: TEXT, labels: { ends: '2026-02-30' } };
    expect(expectProblem(await platform.ask('POST /v1/documents', { json }), 400, 'InvalidValue').detail).toMatch(
      /^labels\.ends: expected a date/,
    );
    const ask = async (filter: object) => {
      const answer = await platform.ask('POST /v1/search', { json: { query: 'quokka', knowledgeBases: ['contracts'], filter } });
      return expectProblem(answer, 400, 'InvalidValue').detail;
    };
    expect(await ask({ eq: { field: 'label.ends', value: 'soon' } })).toMatch(/^filter: expected a date .* for label\.ends/);
    expect(await ask({ exists: { field: 'label.end' } })).toMatch(/declares \(label\.ends, label\.value, .*got "label\.end"$/);
  });

  it('compare lists of keywords by each keyword, however they were given', async () => {
    const { client } = platform;
    const byTag = { eq: { field: 'label.tags', value: 'safety' } };
    await submit('list.md', { tags: ['safety', 'first, aid'] });
    await submit('text.md', { tags: 'fire, safety' });
    const form = { knowledgeBase: 'contracts', labels: { tags: ['safety'] } };
    const content = Buffer.from(`---\ntags: [red, "blue, light"]\n---\n${TEXT}`);
    await uploadFiles(client, [{ name: 'file.md', content, mediaType: 'text/markdown' }], form);
    const { fields = {} } = await client.knowledgeBases.get('contracts');
    const declared = { ...fields, 'label.tags': 'keywords', 'meta.tags': 'keywords' } as const;
    await client.knowledgeBases.update('contracts', { fields: declared });
    expect(await found(byTag)).toEqual(['file.md', 'list.md', 'text.md']);
    expect(await found({ in: { field: 'label.tags', values: ['first, aid', 'fire'] } })).toEqual(['list.md', 'text.md']);
    expect(await found({ prefix: { field: 'label.tags', value: 'fi' } })).toEqual(['list.md', 'text.md']);
    expect(await found({ eq: { field: 'meta.tags', value: 'blue, light' } })).toEqual(['file.md']);
    expect(await found({ and: [byTag, { not: { exists: { field: 'meta.tags' } } }] })).toEqual(['list.md', 'text.md']);
    expect(await listed({ eq: { field: 'label.tags', value: 'fire' } })).toEqual([['text.md'], 1, true]);
    const { labels } = one(
      (await client.documents.list({ knowledgeBase: 'contracts', filter: { eq: { field: 'source', value: 'list.md' } } })).documents,
    );
    expect(labels).toEqual({ tags: '["safety","first, aid"]' });
    const json = { query: 'quokka', knowledgeBases: ['contracts'], filter: { range: { field: 'label.tags', gte: 'a' } } };
    expect(expectProblem(await platform.ask('POST /v1/search', { json }), 400, 'InvalidValue').detail).toMatch(
      /^filter: expected no range of/,
    );
    await client.documents.removeMatching({ knowledgeBase: 'contracts', filter: byTag });
    await client.knowledgeBases.update('contracts', { fields });
  });

  it('apply to lists and deletions', async () => {
    const large = { range: { field: 'label.value', gt: 1000 } };
    expect(await listed(large)).toEqual([['late.md'], 1, true]);
    expect(await listed({ exists: { field: 'label.value' } })).toEqual([['early.md'], 2, false]);
    const { key } = await platform.client.operations.createApiKey({ name: 'blue', teams: ['blue'], roles: ['reader'] });
    const asked = `GET /v1/documents?total=true&filter=${encodeURIComponent(JSON.stringify({ exists: { field: 'title' } }))}`;
    expect((await platform.ask(asked, { key })).json).toEqual({ documents: [], total: 0 });
    const { documents } = platform.client;
    expect(await documents.removeMatching({ knowledgeBase: 'contracts', filter: large })).toMatchObject({ matching: 1, deleted: 1 });
    expect(await listed({ exists: { field: 'title' } })).toEqual([['early.md'], 1, true]);
  });
});
