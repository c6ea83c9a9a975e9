import fc from 'fast-check';
import { removeDocumentHistory } from '@palimpsest/contracts';
import type { Access } from '@palimpsest/knowledge/access';
import { Conflict, Forbidden, InvalidValue, NotFound, Overloaded } from '@palimpsest/knowledge/errors';
import { UNLIMITED } from '@palimpsest/knowledge/limits';
import { blobKey } from '@palimpsest/knowledge/ports';
import { document, documentStream } from '@palimpsest/knowledge/deciders';
import { chunkListId, documentId, knowledgeBaseId, sourceId, type DocumentId } from '@palimpsest/knowledge/values';
import { Buses } from '@palimpsest/runtime';
import { BASE, SCOPE, sections, World, WRITER } from '../../test/world.ts';
import { DeleteDocument } from './delete-document.ts';

const A = sections('Apple', 'Berry');
const B = sections('Apple', 'Cedar');
/** Removes everything that later versions do not need from the log and the store. */
const withoutHistory = async ({ journal, blobs, log }: World, id: DocumentId): Promise<void> => {
  const removeUploads = async (uploads: readonly string[]): Promise<void> => {
    for (const upload of uploads) await blobs.delete(blobKey(upload));
  };
  const ports = { journal, removeUploads, now: () => '2026-11-28T00:00:00.000Z' };
  await removeDocumentHistory(ports, { ...SCOPE, id }, await log.head());
};

const aWorld = (options?: ConstructorParameters<typeof World>[0]) => new World(options).begin();

describe('submitting', () => {
  it('completes once the sealed bytes and the event are stored', async () => {
    const world = await aWorld();
    const submitted = await world.submit(A, { labels: { team: 'red' }, fileName: 'guide.md' });
    expect(submitted).toEqual({
      documentId: expect.any(String),
      sourceId: 'guide.md',
      version: 1,
      status: 'accepted',
      position: await world.log.head(),
    });
    const [fact] = await world.facts(submitted.documentId);
    expect(fact).toMatchObject({
      event: { type: 'DocumentSubmitted', data: { labels: { team: 'red' }, fileName: 'guide.md', bytes: A.length } },
      metadata: { actor: 'key-1', correlationId: 'request-1', scope: 'team:red' },
    });
    const blob = (await world.state(submitted.documentId)).submission?.blob;
    const stored = blob && (await world.blobs.get(blob));
    expect(Buffer.from(stored ?? []).includes('apple')).toBe(false);
    expect(stored?.length).toBeGreaterThan(A.length);
  });

  it('adds and replaces only documents with the labels that the key requires', async () => {
    const world = await aWorld();
    const as = (...values: readonly string[]): Access => ({ ...WRITER, requiredLabels: { department: values } });
    const [own, other] = [sourceId('own.md'), sourceId('other.md')];
    const secret = await world.submit(A, { sourceId: other, labels: { department: 'legal' } });
    const { documentId: id } = await world.submit(A, { sourceId: own }, as('hr'));
    expect((await world.state(id)).submission?.labels).toEqual({ department: 'hr' });
    const head = await world.log.head();
    const replace = { sourceId: own, labels: { department: 'legal' } };
    await expect(world.submit(B, replace, as('hr'))).rejects.toThrow(
      'labels.department: expected "hr", as the API key requires, got "legal"',
    );
    await expect(world.submit(B, { sourceId: own }, as('hr', 'people'))).rejects.toThrow(InvalidValue);
    await expect(world.submit(B, { sourceId: other }, as('hr'))).rejects.toThrow(Forbidden);
    await expect(world.submit(B, { sourceId: other, id: secret.documentId }, as('hr'))).rejects.toThrow(Forbidden);
    await expect(world.submitDocument.retry(as('hr'), secret.documentId, 'r')).rejects.toThrow(NotFound);
    await expect(world.deleteDocument.run(as('hr'), secret.documentId, 'r')).rejects.toThrow(NotFound);
    expect(await world.log.head()).toBe(head);
    expect(await world.submitDocument.retry(as('hr'), id, 'r')).toMatchObject({ version: 2 });
    expect(await world.submit(B, { sourceId: own, labels: { department: 'people' } }, as('hr', 'people'))).toMatchObject({ version: 3 });
    await expect(world.deleteDocument.run(as('hr'), id, 'r')).rejects.toThrow(NotFound);
    expect(await world.deleteDocument.run(as('people'), id, 'r')).toBe(await world.log.head());
  });

  it('judges the labels of the version in progress, also while a chunk list of an earlier one is completed', async () => {
    const world = await aWorld();
    const { documentId: id } = await world.index(A, { labels: { department: 'hr' } });
    await world.submit(B, { labels: { department: 'legal' } });
    const indexed = (await world.state(id)).current?.indexed;
    if (!indexed) throw new Error('the document is not indexed');
    const result = { ...indexed, chunkList: chunkListId('settings:markdown.maxchars=500'), whole: true as const };
    const command = { type: 'CompleteIndexing' as const, documentId: id, version: 1, result, now: world.now() };
    const by = { ...SCOPE, actor: 'worker', correlationId: 'r' };
    await world.journal.execute(document, documentStream(SCOPE.tenant, id), command, by);
    expect((await world.types(id)).slice(-2)).toEqual(['DocumentSubmitted', 'DocumentIndexed']);
    const limited: Access = { ...WRITER, requiredLabels: { department: ['hr'] } };
    await expect(world.submit(A, {}, limited)).rejects.toThrow(Forbidden);
    // The version in progress is not overlooked: it keeps its number.
    expect(await world.submit(A)).toMatchObject({ version: 3 });
  });

  it('accepts only labels of the types that the knowledge base declares, also in a later version', async () => {
    const world = await aWorld();
    await world.knowledgeBases.configure(WRITER, BASE, { fields: { 'label.due': 'date', 'label.year': 'number' } }, 'request-0');
    const { documentId: id } = await world.submit(A, { labels: { due: '2026-02-28', year: '2026', team: 'red' } });
    const head = await world.log.head();
    for (const labels of [{ due: '2026-02-30' }, { year: '1e999' }, { year: '' }]) {
      const [name] = Object.keys(labels);
      await expect(world.submit(B, { labels: labels as never })).rejects.toThrow(new RegExp(`^labels\\.${name}: expected a `));
      await expect(world.submit(B, { id, labels: labels as never })).rejects.toThrow(InvalidValue);
    }
    expect(await world.log.head()).toBe(head);
    await world.knowledgeBases.configure(WRITER, BASE, { fields: {} }, 'request-0');
    expect(await world.submit(B, { labels: { due: 'soon' } })).toMatchObject({ status: 'accepted' });
  });

  it('accepts nothing when the bytes cannot be stored', async () => {
    const world = await aWorld();
    world.blobs.put = async () => {
      throw new Error('no space left');
    };
    const before = await world.log.head();
    await expect(world.submit(A)).rejects.toThrow('no space left');
    expect(await world.log.head()).toBe(before);
  });

  it('stores the bytes again if old history that had them is removed at the same time', async () => {
    const world = await aWorld();
    const first = await world.submit(A);
    await world.process(first);
    await world.process(await world.submit(B));
    const { exists } = world.blobs;
    world.blobs.exists = async (key) => {
      const found = await exists.call(world.blobs, key);
      world.blobs.exists = exists;
      await withoutHistory(world, first.documentId);
      return found;
    };
    const again = await world.submit(A);
    const blob = (await world.state(again.documentId)).submission?.blob;
    expect(blob && (await world.blobs.exists(blob))).toBe(true);
    await world.process(again);
    expect((await world.state(again.documentId)).status).toBe('indexed');
  });

  it('uses the default knowledge base that another caller creates at the same time, with other settings', async () => {
    const world = await aWorld();
    const { knowledgeBases } = world;
    const create = knowledgeBases.create.bind(knowledgeBases);
    let others = 0;
    // Between the check for its existence and the decision to create it.
    knowledgeBases.create = async (access, wanted, correlationId) => {
      if (others++ === 0) await create(access, { ...wanted, settings: { ...wanted.settings, name: 'Mine' } }, correlationId);
      return create(access, wanted, correlationId);
    };
    expect(await knowledgeBases.accepting(WRITER, knowledgeBaseId('default'), 'request-1')).toMatchObject({ settings: { name: 'Mine' } });
    expect(others).toBe(1);
  });

  it('skips an unchanged indexed document, without the store, the queue or the model', async () => {
    const world = await aWorld({ capacity: 1 });
    const first = await world.index(A);
    const calls = world.provider.calls.length;
    world.waiting = 1_000;
    expect(await world.submit(A)).toMatchObject({ documentId: first.documentId, version: 1, status: 'skipped' });
    expect(world.provider.calls).toHaveLength(calls);
    expect((await world.types(first.documentId)).at(-1)).toBe('DocumentSkipped');
  });

  it.each<[string, Parameters<World['submit']>[1]]>([
    ['the labels', { labels: { team: 'blue' } }],
    ['the origin', { origin: 'Note' }],
    ['the title', { title: 'Other' }],
    ['the file’s name', { fileName: 'other.md' }],
    ['the media type', { mediaType: 'text/html' }],
    ['nothing, but force is set', { force: true }],
  ])('accepts the document if this changed: %s', async (_, over) => {
    const world = await aWorld();
    await world.index(A);
    expect(await world.submit(A, over)).toMatchObject({ version: 2, status: 'accepted' });
  });

  it('accepts the document if the chunking settings changed', async () => {
    const world = await aWorld();
    await world.index(A);
    const settings = { name: 'Handbook', description: '' };
    const {
      settings: { chunking },
    } = await world.knowledgeBases.configure(WRITER, BASE, settings, 'request-2');
    expect((await world.submit(A)).status).toBe('skipped');
    await world.knowledgeBases.configure(WRITER, BASE, { chunking: { ...chunking, markdown: { maxChars: 400 } } }, 'request-3');
    expect(await world.submit(A)).toMatchObject({ version: 2, status: 'accepted' });
  });

  it('loses neither of two concurrent writes to one document', async () => {
    const world = await aWorld();
    const [one, two] = await Promise.all([world.submit(A), world.submit(B)]);
    expect([one?.version, two?.version].sort()).toEqual([1, 2]);
    expect(one?.documentId).toBe(two?.documentId);
    await world.process({ documentId: one?.documentId as never, version: 2 });
    expect(await world.types(one?.documentId as never)).toEqual([
      'DocumentSubmitted',
      'DocumentSubmitted',
      'DocumentProcessingStarted',
      'KnowledgeChunkIndexed',
      'KnowledgeChunkIndexed',
      'DocumentIndexed',
    ]);
  });

  it('refuses a write that is not based on the latest version', async () => {
    const world = await aWorld();
    await world.index(A);
    await world.index(B);
    await expect(world.submit(A, { onlyIfVersion: 1 })).rejects.toThrow(Conflict);
    expect(await world.submit(A, { onlyIfVersion: 2 })).toMatchObject({ version: 3 });
  });

  it('increments versions across skips, failures and deletions, however long the stream is', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('A', 'B', 'same', 'delete', 'pending', 'remove history'), { minLength: 1, maxLength: 12 }),
        async (steps) => {
          const world = await aWorld();
          let [version, indexed, last, id] = [0, '', A, ''];
          for (const step of steps) {
            if (step === 'remove history') {
              if (id !== '') await withoutHistory(world, documentId(id));
              continue;
            }
            if (step === 'delete') {
              const { documentId } = version === 0 ? { documentId: undefined } : await world.submit(last, { force: true });
              if (!documentId) continue;
              version++;
              await world.deleteDocument.run(WRITER, documentId, 'request-4');
              indexed = '';
              continue;
            }
            const text = step === 'A' || step === 'pending' ? A : step === 'B' ? B : last;
            const before = version;
            const submitted = await world.submit(text);
            id = submitted.documentId;
            const skipped = indexed === text && submitted.status === 'skipped';
            if (!skipped && submitted.version !== before) version++;
            expect(submitted.version).toBe(version);
            expect(skipped).toBe(submitted.status === 'skipped');
            if (step !== 'pending') {
              await world.process(submitted);
              indexed = text;
            } else if (submitted.status === 'accepted') indexed = '';
            last = text;
          }
        },
      ),
      { numRuns: 15 },
    ));

  it('refuses files that are empty or too large', async () => {
    const world = await aWorld({ maxBytes: 10 });
    await expect(world.submit('')).rejects.toThrow(InvalidValue);
    await expect(world.submit('x'.repeat(11))).rejects.toThrow(/file: expected at most 10 bytes, got "11 bytes"/);
    expect((await world.submit('x'.repeat(10))).status).toBe('accepted');
  });
});

describe('a full queue', () => {
  it('refuses documents, and says when to retry', async () => {
    const world = await aWorld({ capacity: 5 });
    world.waiting = 5;
    const before = await world.log.head();
    const refusal: unknown = await world.submit(A).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(Overloaded);
    expect(refusal).toMatchObject({ retryAfterSeconds: 1, message: 'too many documents are waiting to be indexed' });
    expect(await world.log.head()).toBe(before);
  });

  it('admits no burst between two counts', async () => {
    const world = await aWorld({ capacity: 5 });
    const burst = await Promise.allSettled(Array.from({ length: 20 }, (_, i) => world.submit(A, { sourceId: sourceId(`${i}.md`) })));
    expect(burst.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    for (const one of burst) if (one.status === 'rejected') expect(one.reason).toBeInstanceOf(Overloaded);
  });
});

describe('permission to submit', () => {
  const as = (over: Partial<Access>): Access => ({ ...WRITER, ...over });

  it.each<[string, Access, unknown]>([
    ['a reader', as({ roles: ['reader'] }), Forbidden],
    ['an operator', as({ roles: ['operator'] }), Forbidden],
    ['a writer of another team', as({ teams: ['blue'] }), NotFound],
    ['a writer of another tenant', as({ tenant: 'other' as never }), NotFound],
  ])('is denied to %s', async (_, access, error) => {
    const world = await aWorld();
    await expect(world.submit(A, {}, access)).rejects.toBeInstanceOf(error);
  });

  it('includes the creation of the default knowledge base, but of no other', async () => {
    const world = await aWorld();
    expect((await world.submit(A, { knowledgeBase: knowledgeBaseId('default') })).status).toBe('accepted');
    await expect(world.submit(A, { knowledgeBase: knowledgeBaseId('none') })).rejects.toThrow(NotFound);
    await world.knowledgeBases.archive(WRITER, BASE, 'request-5');
    await expect(world.submit(A)).rejects.toThrow(/is archived/);
  });
});

describe('retrying a document', () => {
  it('creates a new version with the same bytes', async () => {
    const world = await aWorld();
    const submitted = await world.submit('!corrupt');
    await world.process(submitted);
    expect((await world.state(submitted.documentId)).status).toBe('failed');
    const again = await world.submitDocument.retry(WRITER, submitted.documentId, 'request-6');
    expect(again).toMatchObject({ documentId: submitted.documentId, version: 2, status: 'accepted' });
    await world.process(again);
    expect(world.parser.parsed).toHaveLength(2);
    expect(world.parser.parsed[1]?.bytes).toEqual(world.parser.parsed[0]?.bytes);
  });

  it('requires an existing document', async () => {
    const world = await aWorld();
    const { documentId } = await world.index(A);
    await world.deleteDocument.run(WRITER, documentId, 'request-7');
    await expect(world.submitDocument.retry(WRITER, documentId, 'request-8')).rejects.toThrow(NotFound);
    await expect(world.submitDocument.retry(WRITER, 'e'.repeat(32) as never, 'request-8')).rejects.toThrow(NotFound);
  });
});

describe('deleting a document', () => {
  it('records the deleted chunks, once', async () => {
    const world = await aWorld();
    const { documentId } = await world.index(A);
    const chunks = (await world.state(documentId)).current?.chunkIds;
    await world.deleteDocument.run(WRITER, documentId, 'request-9');
    expect((await world.facts(documentId)).at(-1)?.event).toMatchObject({ type: 'DocumentDeleted', data: { version: 1, chunks } });
    await expect(world.deleteDocument.run(WRITER, documentId, 'request-9')).rejects.toThrow(NotFound);
  });

  it('does not reveal to a stranger whether the document exists', async () => {
    const world = await aWorld();
    const { documentId } = await world.index(A);
    const stranger: Access = { ...WRITER, teams: ['blue'] };
    const [hidden, missing] = await Promise.all(
      [documentId, 'e'.repeat(32) as never].map((id) =>
        world.deleteDocument.run(stranger, id, 'request-9').catch((error: Error) => error.message.replace(/"\w+"/, '""')),
      ),
    );
    expect(hidden).toBe(missing);
    const byReader = new DeleteDocument({ access: { ...WRITER, roles: ['reader'] }, correlationId: 'request-9' }, { id: documentId });
    await expect(new Buses(world.deleteDocument.handlers, UNLIMITED).execute(byReader)).rejects.toThrow(Forbidden);
    await expect(world.deleteDocument.run(WRITER, documentId, 'request-9', 7)).rejects.toThrow(Conflict);
  });
});
