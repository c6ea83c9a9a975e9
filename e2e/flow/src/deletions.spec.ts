import type { DocumentSelection, NewApiKey } from '@palimpsest/client';
import { expectProblem } from '@palimpsest/e2e-support/ask';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { aDataFolder, DISTRIBUTED, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { submitText, uploadFiles } from '@palimpsest/e2e-support/submit';
import { searchFolder, textProbes } from '@palimpsest/foundation';
import { eventually } from '@palimpsest/test-kit/eventually';

const DOCUMENTS = 150;
const SECRET = 'quokkaburrow';
const PATIENCE_MS = 60_000;

describe('deletions', () => {
  let data: string;
  let standIn: EmbeddingStandIn;
  let platform: PlatformUnderTest;
  const start = async (): Promise<void> =>
    void (platform = await PlatformUnderTest.start(data, { ...standIn.settings(), PALIMPSEST_PURGE_MINUTES: '0.05' }));
  const keyOf = async (over: Partial<NewApiKey>) => (await platform.client.operations.createApiKey({ name: 'other', ...over })).key;
  const upload = (knowledgeBase: string, names: readonly string[], labels: Record<string, string> = {}) =>
    uploadFiles(
      platform.client,
      names.map((name) => ({ name, content: Buffer.from(`# ${name}\n\nThe ${SECRET} of ${name}.`) })),
      { knowledgeBase, labels },
    );
  const sourcesOf = async (knowledgeBase: string) =>
    (await platform.client.documents.list({ knowledgeBase, limit: 500 })).documents.map(({ sourceId }) => sourceId);

  beforeAll(async () => {
    [data, standIn] = [await aDataFolder(), await EmbeddingStandIn.open()];
    await start();
    const { client } = platform;
    for (const id of ['mixed', 'wrong', 'right']) await client.knowledgeBases.create({ id, scope: 'team:red', name: `Named ${id}` });
    await upload('mixed', ['new/a.md', 'new/b.md', 'new/c.md'], { year: '2026' });
    await upload('mixed', ['old/a.md', 'old/b.md'], { year: '2025' });
    await submitText(client, { knowledgeBase: 'right', sourceId: 'stays.md', text: 'A text that stays.' });
  });
  afterAll(() => platform.stop());

  describe('of the documents that match conditions', () => {
    const remove = (which: DocumentSelection) => platform.client.documents.removeMatching({ knowledgeBase: 'mixed', ...which });

    it('say what they would delete, and refuse another number than the expected one', async () => {
      const found = await remove({ labels: { year: '2025' }, dryRun: true });
      expect(found).toMatchObject({ matching: 2, deleted: 0, remaining: 2 });
      expect(found.documents.map(({ sourceId, title, scope }) => [sourceId, title, scope])).toEqual([
        ['old/a.md', 'old/a.md', 'team:red'],
        ['old/b.md', 'old/b.md', 'team:red'],
      ]);
      const refused = await platform.ask('POST /v1/documents/delete', { json: { knowledgeBase: 'mixed', source: 'old/', expected: 20 } });
      expect(expectProblem(refused, 409, 'Conflict').detail).toBe('2 documents match, not 20: nothing was deleted');
      expect(await sourcesOf('mixed')).toHaveLength(5);
    });

    it('are not for readers, and find nothing of others', async () => {
      const json = { knowledgeBase: 'mixed', source: 'old/' };
      const ask = async (over: Partial<NewApiKey>, body: object = json) =>
        platform.ask('POST /v1/documents/delete', { key: await keyOf(over), json: body });
      expectProblem(await ask({ teams: ['red'], roles: ['reader'] }), 403, 'Forbidden');
      expectProblem(await ask({ teams: ['blue'], roles: ['writer'] }), 404, 'NotFound');
      expectProblem(await ask({ tenant: 'other', teams: ['*'], roles: ['writer'] }), 404, 'NotFound');
      expectProblem(await ask({ teams: ['blue'], roles: ['writer'] }, { scope: 'team:red', source: 'old/' }), 404, 'NotFound');
      expect(await sourcesOf('mixed')).toHaveLength(5);
    });

    it('select the documents that the list shows for the same conditions, and no search finds them afterwards', async () => {
      const { total } = await platform.client.documents.list({ knowledgeBase: 'mixed', source: 'old/', total: true });
      expect(await remove({ source: 'old/', expected: total })).toMatchObject({ matching: 2, deleted: 2, changed: 0, remaining: 0 });
      expect(await sourcesOf('mixed')).toEqual(['new/a.md', 'new/b.md', 'new/c.md']);
      const { hits } = await platform.client.search({ query: SECRET, knowledgeBases: ['mixed'], topK: 20 });
      expect(hits.every(({ source }) => source.startsWith('new/'))).toBe(true);
      expect(await remove({ source: 'old/' })).toMatchObject({ matching: 0, deleted: 0 });
      const filter = { not: { eq: { field: 'source', value: 'new/b.md' } } };
      expect(await remove({ labels: { year: '2026' }, filter })).toMatchObject({ deleted: 2 });
      expect(await sourcesOf('mixed')).toEqual(['new/b.md']);
    });
  });

  describe('of a knowledge base', () => {
    let before: string;

    it('are not for readers, and find nothing of others', async () => {
      const ask = async (over: Partial<NewApiKey>) => platform.ask('DELETE /v1/knowledge-bases/wrong', { key: await keyOf(over) });
      expectProblem(await ask({ teams: ['red'], roles: ['reader'] }), 403, 'Forbidden');
      expectProblem(await ask({ teams: ['blue'], roles: ['writer'] }), 404, 'NotFound');
      expectProblem(await ask({ tenant: 'other', teams: ['*'], roles: ['writer'] }), 404, 'NotFound');
      expect((await platform.client.knowledgeBases.get('wrong')).status).toBe('active');
    });

    it('delete all its documents, also what is being processed, go on after a kill, and then the knowledge base itself', async () => {
      const { client } = platform;
      await upload(
        'wrong',
        Array.from({ length: DOCUMENTS }, (_, i) => `number-${i}.md`),
      );
      ({ position: before } = await client.search({ query: SECRET }));
      // A hold keeps a scope from being erased; the log keeps deleted documents.
      await client.erasures.hold('team:red', 'case 17');
      let release: () => void = () => undefined;
      const gate = new Promise<void>((resolve) => (release = resolve));
      const seen = standIn.texts.length;
      standIn.beforeAnswer = () => gate;
      await client.documents.submitText({ knowledgeBase: 'wrong', sourceId: 'at-last.md', text: `Another ${SECRET}.` });
      await eventually('a document is being embedded', async () => standIn.texts.length > seen || undefined);
      expect(await client.knowledgeBases.remove('wrong')).toMatchObject({ id: 'wrong', scope: 'team:red', status: 'deleting' });
      release();
      standIn.beforeAnswer = () => Promise.resolve();
      const late = await platform.ask('POST /v1/documents', { json: { knowledgeBase: 'wrong', sourceId: 'x.md', text: 'Too late.' } });
      expect([404, 409]).toContain(late.status);
      const left = () => sourcesOf('wrong').catch(() => []);
      await eventually('some documents are deleted', async () => (await left()).length < DOCUMENTS || undefined, PATIENCE_MS);
      await platform.kill();
      await start();
      await eventually(
        'the knowledge base is deleted',
        async () => (await platform.ask('GET /v1/knowledge-bases/wrong')).status === 404 || undefined,
        PATIENCE_MS,
      );
    }, 180_000);

    it('leave nothing to find: it is as one that does not exist, but its id is not used again', async () => {
      const { client } = platform;
      const answers = [
        await platform.ask('DELETE /v1/knowledge-bases/wrong'),
        await platform.ask('POST /v1/knowledge-bases/wrong/pause'),
        await platform.ask('POST /v1/documents', { json: { knowledgeBase: 'wrong', sourceId: 'x.md', text: 'Too late.' } }),
        await platform.ask('POST /v1/search', { json: { query: SECRET, knowledgeBases: ['wrong'] } }),
        await platform.ask('GET /v1/documents?knowledgeBase=wrong'),
      ];
      for (const answer of answers) expectProblem(answer, 404, 'NotFound');
      expectProblem(await platform.ask('POST /v1/knowledge-bases', { json: { id: 'wrong', scope: 'team:red' } }), 409, 'Conflict');
      expect((await client.search({ query: SECRET, topK: 50 })).hits.filter(({ knowledgeBase }) => knowledgeBase === 'wrong')).toEqual([]);
      expect((await client.knowledgeBases.list()).map(({ id }) => id)).toEqual(['mixed', 'right']);
      const { documents } = await client.operations.status();
      expect(documents).toMatchObject({ pending: 0, processing: 0, indexed: 2, failed: 0 });
      expect((await client.documents.list({ knowledgeBase: 'right' })).documents).toHaveLength(1);
      expectProblem(await platform.ask('DELETE /v1/knowledge-bases/default'), 404, 'NotFound');
    });

    it('are in the timeline; earlier moments still show what was there', async () => {
      const { client } = platform;
      const { entries } = await client.timeline.list('team:red', { knowledgeBase: 'wrong', limit: 200 });
      const changes = entries.flatMap((entry) => (entry.kind === 'knowledge-base' ? [entry.change] : []));
      expect(changes.sort()).toEqual(['deleted', 'deleting']);
      expect((await client.search({ query: SECRET, knowledgeBases: ['wrong'], asOf: before })).hits).not.toEqual([]);
      expect(await client.knowledgeBases.get('wrong', { asOf: before })).toMatchObject({ status: 'active', documents: DOCUMENTS });
    });

    it('leave read models that agree with the log, also when they are built again', async () => {
      expect((await platform.client.operations.verify()).clean).toBe(true);
      await platform.client.operations.rebuild();
      expect((await platform.client.operations.verify({ full: true })).clean).toBe(true);
      expectProblem(await platform.ask('GET /v1/knowledge-bases/wrong'), 404, 'NotFound');
    });

    it('leave none of its texts and names in the files of the read models', async () => {
      if (DISTRIBUTED) return;
      const probes = ['Named wrong', 'at-last.md', 'number-149.md'].flatMap((each) => textProbes(each, each));
      await eventually(
        'the files are written again',
        async () => (await searchFolder(`${data}/read-models`, probes)).found.size === 0 || undefined,
        PATIENCE_MS,
      );
    });
  });
});
