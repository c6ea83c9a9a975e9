import type { DocumentFields, SearchRequest, Strategy } from '@palimpsest/client';
import { ask, expectProblem } from '@palimpsest/e2e-support/ask';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { accepted, one, submitText } from '@palimpsest/e2e-support/submit';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';

const paragraph = (word: string): string =>
  `The ${word} keeps its own company through the long winter, and nobody in the village minds. `.repeat(6); // words: allow
const section = (word: string): string => `# About ${word}\n\n${paragraph(word)}\n\n`;

describe('documents, from upload to search', () => {
  let standIn: EmbeddingStandIn;
  let platform: PlatformUnderTest;

  beforeAll(async () => {
    standIn = await EmbeddingStandIn.open();
    platform = await PlatformUnderTest.start(await aDataFolder(), standIn.settings());
  });

  const submit = (sourceId: string, text: string, more: DocumentFields = {}) => submitText(platform.client, { sourceId, text, ...more });
  const found = async (query: string, more: Partial<SearchRequest> = {}) => (await platform.client.search({ query, ...more })).hits;

  describe('a text', () => {
    it('is accepted, indexed, shown and found', async () => {
      const { documentId, status, version, document } = await submit('notes/otter.md', section('otter'), {
        title: 'Otters',
        labels: { kind: 'animal' },
      });
      expect({ status, version }).toEqual({ status: 'accepted', version: 1 });
      expect(document).toMatchObject({
        documentId,
        sourceId: 'notes/otter.md',
        knowledgeBase: 'default',
        scope: 'deployment',
        title: 'Otters',
        status: 'indexed',
        version: 1,
        indexedVersion: 1,
        mediaType: 'text/markdown',
        chunks: 1,
        failedChunks: 0,
        withoutVector: 0,
        language: 'en',
        labels: { kind: 'animal' },
        origin: 'UserContent',
        warnings: [],
      });
      const [hit] = await found('otter in the winter village');
      expect(hit).toMatchObject({
        documentId,
        source: 'notes/otter.md',
        title: 'Otters',
        citation: 'Otters, Chunk 1 of 1',
        rank: 1,
        index: 0,
        of: 1,
        origin: 'UserContent',
        labels: { kind: 'animal' },
      });
    });

    it('is listed in pages, and filtered by source, status and knowledge base', async () => {
      for (const name of ['a', 'b', 'c']) await submit(`pages/${name}.md`, section(`page ${name}`));
      const pages: string[][] = [];
      for (let cursor: string | undefined; ;) {
        const { documents, next } = await platform.client.documents.list({
          source: 'pages/',
          status: 'indexed',
          knowledgeBase: 'default',
          limit: 2,
          cursor,
        });
        pages.push(documents.map(({ sourceId }) => sourceId));
        if ((cursor = next) === undefined) break;
      }
      expect(pages).toEqual([['pages/a.md', 'pages/b.md'], ['pages/c.md']]);
      expect((await platform.client.documents.list({ source: 'pages/', status: 'failed' })).documents).toEqual([]);
    });

    it('shows its chunks with their positions in the text, in pages', async () => {
      const text = ['heron', 'stork', 'crane'].map(section).join('');
      const { documentId } = await submit('birds.md', text);
      const first = await platform.client.documents.chunks(documentId, { limit: 2 });
      const rest = await platform.client.documents.chunks(documentId, { limit: 2, cursor: first.next ?? '' });
      const chunks = [...first.chunks, ...rest.chunks];
      expect(rest.next).toBeUndefined();
      expect(chunks.map(({ index, of }) => [index, of])).toEqual(chunks.map((_, i) => [i, chunks.length]));
      for (const { start, end, text: chunkText, fromLine } of chunks) {
        expect(text.slice(start, end)).toContain(chunkText.slice(0, 40));
        expect(text.slice(0, start).split('\n').length).toBe(fromLine);
      }
    });
  });

  describe('sent again', () => {
    it('unchanged, it is skipped without an embedding', async () => {
      const { documentId } = await submit('same.md', section('badger'));
      const asked = await standIn.askedDuring(async () => {
        const { documents } = await platform.client.documents.submitText({ sourceId: 'same.md', text: section('badger') });
        expect(documents).toEqual([{ documentId, sourceId: 'same.md', version: 1, status: 'skipped' }]);
      });
      expect(asked).toEqual([]);
    });

    it('changed in one section, only that section is embedded, and the old text is no longer found', async () => {
      await submit('four.md', ['fox', 'wolf', 'lynx', 'bear'].map(section).join(''));
      const asked = await standIn.askedDuring(() => submit('four.md', ['fox', 'wolf', 'pangolin', 'bear'].map(section).join('')));
      expect(asked).toHaveLength(1);
      expect(asked[0]).toContain('pangolin');
      expect((await found('pangolin', { strategy: 'SparseOnly' })).map(({ source }) => source)).toEqual(['four.md']);
      expect(await found('lynx', { strategy: 'SparseOnly' })).toEqual([]);
    });

    it('with other labels only, nothing is embedded, and every chunk has the new labels', async () => {
      await submit('labelled.md', ['newt', 'toad'].map(section).join(''), { labels: { shelf: 'old' } });
      const asked = await standIn.askedDuring(() =>
        submit('labelled.md', ['newt', 'toad'].map(section).join(''), { labels: { shelf: 'new' } }),
      );
      expect(asked).toEqual([]);
      const withLabel = (shelf: string) => found('newt toad', { filter: { eq: { field: 'label.shelf', value: shelf } } });
      expect(await withLabel('old')).toEqual([]);
      expect((await withLabel('new')).length).toBe(2);
    });

    it('by force, it becomes a new version', async () => {
      await submit('forced.md', section('mole'));
      expect(await submit('forced.md', section('mole'), { force: true })).toMatchObject({
        version: 2,
        status: 'accepted',
        document: { version: 2, indexedVersion: 2, status: 'indexed' },
      });
    });
  });

  describe('replaced (PUT)', () => {
    it('with the current version in If-Match, it gets the next version; with an older one it is refused', async () => {
      const { documentId } = await submit('ledger.md', section('first'));
      const { documents } = await platform.client.documents.replaceText(documentId, { text: section('second') }, { ifVersion: 1 });
      expect(documents).toMatchObject([{ documentId, version: 2, status: 'accepted' }]);
      await platform.client.waitFor([{ documentId, version: 2 }], { pollMs: 20 });
      const stale = await platform.ask(`PUT /v1/documents/${documentId}`, {
        json: { text: section('third') },
        headers: { 'if-match': '"1"' },
      });
      expectProblem(stale, 409, 'Conflict');
      const { versions, version } = await platform.client.documents.get(documentId);
      expect(version).toBe(2);
      expect(versions.map((each) => [each.version, each.status])).toEqual(expect.arrayContaining([[2, 'indexed']]));
      expect(versions.map((each) => each.version).sort()).toEqual([1, 2]);
    });

    it('by a file in a form', async () => {
      const { documentId } = await submit('uploaded.md', section('gull'));
      const file = { name: 'other-name.md', content: Buffer.from(section('puffin')) };
      const { documents } = await platform.client.documents.replaceFile(documentId, file, {}, { ifVersion: 1 });
      expect(documents).toMatchObject([{ documentId, sourceId: 'uploaded.md', version: 2 }]);
      await platform.client.waitFor([{ documentId, version: 2 }], { pollMs: 20 });
      expect((await found('puffin', { strategy: 'SparseOnly' })).map(({ source }) => source)).toEqual(['uploaded.md']);
    });

    it('by several concurrent writers with the same version in If-Match, exactly one succeeds', async () => {
      const { documentId } = await submit('race.md', section('start'));
      const answers = await Promise.all(
        Array.from({ length: 6 }, (_, i) =>
          platform.ask(`PUT /v1/documents/${documentId}`, { json: { text: section(`runner${i}`) }, headers: { 'if-match': '"1"' } }),
        ),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([202, 409, 409, 409, 409, 409]);
    });

    it('by several writers without If-Match, each gets its own version, and the last one remains', async () => {
      const answers = await Promise.all(
        Array.from({ length: 6 }, (_, i) => platform.client.documents.submitText({ sourceId: 'crowd.md', text: section(`voice${i}`) })),
      );
      const versions = answers.flatMap(accepted).map(({ version }) => version);
      expect(versions.sort()).toEqual([1, 2, 3, 4, 5, 6]);
      const last = answers.findIndex((answer) => one(accepted(answer)).version === 6);
      const { documentId } = one(answers.slice(0, 1).flatMap(accepted));
      await platform.client.waitFor([{ documentId, version: 6 }], { pollMs: 20 });
      const chunks = (await platform.client.documents.chunks(documentId)).chunks.map(({ text }) => text).join('');
      expect(chunks).toContain(`voice${last}`);
    });
  });

  describe('deleted', () => {
    it('is gone from searches, lists and chunks when the request returns; and can be submitted again', async () => {
      const { documentId } = await submit('gone.md', section('dodo'));
      expect(await found('dodo', { strategy: 'SparseOnly' })).toHaveLength(1);
      await platform.client.documents.remove(documentId);
      for (const strategy of ['DenseSparseHybrid', 'DenseOnly', 'SparseOnly'] satisfies Strategy[])
        expect((await found('dodo', { strategy })).map(({ source }) => source)).not.toContain('gone.md');
      expect((await platform.client.documents.list({ source: 'gone.md' })).documents).toEqual([]);
      expectProblem(await platform.ask(`GET /v1/documents/${documentId}`), 404, 'NotFound');
      expectProblem(await platform.ask(`GET /v1/documents/${documentId}/chunks`), 404, 'NotFound');
      expectProblem(await platform.ask(`DELETE /v1/documents/${documentId}`), 404, 'NotFound');
      expect(await submit('gone.md', section('dodo'))).toMatchObject({
        documentId,
        version: 2,
        status: 'accepted',
        document: { status: 'indexed' },
      });
      expect(await found('dodo', { strategy: 'SparseOnly' })).toHaveLength(1);
    });

    it('only with the current version in If-Match', async () => {
      const { documentId } = await submit('kept.md', section('moa'));
      expectProblem(await platform.ask(`DELETE /v1/documents/${documentId}`, { headers: { 'if-match': '"7"' } }), 409, 'Conflict');
      expect(await found('moa', { strategy: 'SparseOnly' })).toHaveLength(1);
    });

    it('during its indexing, it does not reappear', async () => {
      let release = (): void => undefined;
      const held = new Promise<void>((resolve) => (release = resolve));
      const reached = new Promise<void>((asked) => {
        standIn.beforeAnswer = (texts) => (texts.some((text) => text.includes('thylacine')) ? (asked(), held) : Promise.resolve());
      });
      const { documentId } = one(accepted(await platform.client.documents.submitText({ sourceId: 'held.md', text: section('thylacine') })));
      await reached;
      await platform.client.documents.remove(documentId);
      standIn.beforeAnswer = () => Promise.resolve();
      release();
      await submit('after-held.md', section('quagga'));
      expect(await found('thylacine', { strategy: 'SparseOnly' })).toEqual([]);
      expectProblem(await platform.ask(`GET /v1/documents/${documentId}`), 404, 'NotFound');
    });
  });

  describe('a model that refuses to embed', () => {
    afterEach(() => (standIn.refusal = undefined));

    it('one section leaves the other sections searchable', async () => {
      standIn.refusal = { when: (text) => text.includes('kraken'), status: 400 };
      const { document } = await submit('sea.md', ['whale', 'kraken', 'squid'].map(section).join(''));
      expect(document).toMatchObject({ status: 'indexed', failedChunks: 1, withoutVector: 0, chunks: 2 });
      expect(await platform.client.operations.status()).toMatchObject({ failedChunks: 1, withoutVector: 0 });
      expect((await found('squid', { strategy: 'SparseOnly' })).length).toBe(1);
    });

    it('any section makes the document fail with the reason; after a retry it is indexed', async () => {
      standIn.refusal = { when: (text) => text.includes('basilisk'), status: 400 };
      const { documentId, document } = await submit('basilisk.md', section('basilisk'));
      expect(document).toMatchObject({ status: 'failed', reason: 'embedding-failed', detail: expect.stringContaining('refused') });
      standIn.refusal = undefined;
      const { version } = one(accepted(await platform.client.documents.retry(documentId)));
      expect(version).toBe(2);
      const { documents } = await platform.client.waitFor([{ documentId, version }], { pollMs: 20 });
      expect(documents).toMatchObject([{ status: 'indexed', version: 2 }]);
      expect(await found('basilisk', { strategy: 'SparseOnly' })).toHaveLength(1);
    });
  });

  describe('a knowledge base', () => {
    it('is created, filled, renamed and archived; an archived one accepts no documents and stays searchable', async () => {
      const created = await platform.ask('POST /v1/knowledge-bases', { json: { id: 'zoo', name: 'Zoo', scope: 'team:keepers' } });
      expect(created).toMatchObject({
        status: 201,
        json: { id: 'zoo', name: 'Zoo', scope: 'team:keepers', status: 'active', position: expect.stringMatching(/^\d+$/) },
      });
      const { documentId } = await submit('okapi.md', section('okapi'), { knowledgeBase: 'zoo' });
      await platform.client.knowledgeBases.update('zoo', { name: 'The zoo', description: 'Of the town' });
      const { position } = await platform.client.knowledgeBases.archive('zoo');
      expect(
        (await found('okapi', { knowledgeBases: ['zoo'], atLeast: position })).map((hit) => [hit.documentId, hit.knowledgeBase]),
      ).toEqual([[documentId, 'zoo']]);
      expect(await platform.client.knowledgeBases.get('zoo')).toMatchObject({
        name: 'The zoo',
        description: 'Of the town',
        status: 'archived',
        scope: 'team:keepers',
        documents: 1,
      });
      expectProblem(
        await platform.ask('POST /v1/documents', { json: { knowledgeBase: 'zoo', sourceId: 'x', text: 'more' } }),
        409,
        'Conflict',
      );
      expectProblem(await platform.ask(`PUT /v1/documents/${documentId}`, { json: { text: 'more' } }), 409, 'Conflict');
      expectProblem(await platform.ask('PATCH /v1/knowledge-bases/zoo', { json: { name: 'again' } }), 409, 'Conflict');
      expect((await platform.client.knowledgeBases.list()).map(({ id }) => id)).toEqual(expect.arrayContaining(['default', 'zoo']));
    });

    it('chunks documents with its own settings, and again after they change', async () => {
      const text = Array.from({ length: 12 }, (_, i) => paragraph(`word${i}`)).join('\n\n');
      await platform.client.knowledgeBases.create({ id: 'fine', chunking: { markdown: { maxChars: 2000 } } });
      const coarse = await submit('long.md', text, { knowledgeBase: 'fine' });
      await platform.client.knowledgeBases.update('fine', { chunking: { markdown: { maxChars: 600 } } });
      const fine = await submit('long.md', text, { knowledgeBase: 'fine' });
      expect(fine.version).toBe(2);
      expect(fine.document.chunks).toBeGreaterThan(coarse.document.chunks);
    });

    it('cannot be created twice with different settings; with the same settings nothing happens', async () => {
      await platform.client.knowledgeBases.create({ id: 'once', name: 'Once' });
      expect((await platform.ask('POST /v1/knowledge-bases', { json: { id: 'once', name: 'Once' } })).status).toBe(201);
      expectProblem(await platform.ask('POST /v1/knowledge-bases', { json: { id: 'once', name: 'Twice' } }), 409, 'Conflict');
    });
  });

  it('serves public routes without a key, and no others', async () => {
    for (const path of ['/', '/health/live', '/health/ready', '/openapi.json'])
      expect((await ask(platform.url, `GET ${path}`, {})).status).toBe(200);
    expectProblem(await ask(platform.url, 'GET /v1/status', {}), 401, 'Unauthenticated');
  });
});
