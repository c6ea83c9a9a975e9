import type { Access } from '@palimpsest/knowledge/access';
import { Forbidden } from '@palimpsest/knowledge/errors';
import { UNLIMITED } from '@palimpsest/knowledge/limits';
import type { RecordedEvent, StreamName } from '@palimpsest/knowledge/ports';
import type { DocumentView } from '@palimpsest/knowledge/read-models';
import { knowledgeBaseId, position, tenantId, vectorScope, type Position } from '@palimpsest/knowledge/values';
import { Buses } from '@palimpsest/runtime';
import { SCOPE, sections, World, WRITER } from '../../test/world.ts';
import { FollowDocuments, FollowDocumentsHandler, type DocumentChange, type LiveDocuments } from './follow-documents.ts';

const reader: Access = { ...WRITER, roles: ['reader'] };

/** All events of the log in batches of one size, and a catalog whose views the test defines. */
const aWorld = async (views: (id: string) => Partial<DocumentView> | undefined, batch = 100) => {
  const world = await new World().begin();
  const reached: Position[] = [];
  const follow = new FollowDocumentsHandler(
    { current: async (_, id) => views(id) as DocumentView | undefined },
    { reached: async (at) => (reached.push(at), true) },
    world.journal,
  );
  const changes = async (access = reader, query: LiveDocuments = {}, shownAfter: (change: DocumentChange) => void = () => undefined) => {
    const events: RecordedEvent[] = [];
    for await (const event of world.log.readAll()) events.push(event);
    const batches = (async function* () {
      for (let i = 0; i < events.length; i += batch)
        yield { events: events.slice(i, i + batch), upTo: events[Math.min(i + batch, events.length) - 1]?.position ?? position(0n) };
    })();
    const received: DocumentChange[] = [];
    for await (const { data } of follow.changes(access, query, batches, new AbortController().signal)) {
      if (!data) continue;
      shownAfter(data);
      received.push(data);
    }
    return received;
  };
  return { world, changes, reached, follow };
};

const view = (over: Partial<DocumentView> = {}): Partial<DocumentView> => ({
  tenant: SCOPE.tenant,
  status: 'indexed',
  knowledgeBase: knowledgeBaseId('handbook'),
  ...over,
});

describe('document changes', () => {
  it('are sent with the view of the catalog, once it has reached their position, and without the tenant', async () => {
    const { world, changes, reached } = await aWorld(() => view());
    const { documentId } = await world.index(sections('Apple', 'Berry'));
    const head = await world.log.head();
    const received = await changes(reader, {}, () => expect(reached).toEqual([head]));
    expect(received).toEqual([
      {
        position: String(head),
        documentId,
        status: 'indexed',
        at: expect.any(String),
        document: { status: 'indexed', knowledgeBase: 'handbook' },
      },
    ]);
  });

  it('include the embedding progress while a document is processed', async () => {
    const { world, changes } = await aWorld(() => view({ status: 'processing' }), 1);
    await world.index(sections('Apple', 'Berry'));
    expect((await changes()).map(({ progress }) => progress)).toEqual([
      undefined,
      undefined,
      { chunks: 1, of: 2 },
      { chunks: 2, of: 2 },
      undefined,
    ]);
  });

  it('report a deletion only if the document was deleted, and are ordered by last event', async () => {
    const gone = new Set<string>();
    const { world, changes } = await aWorld((id) => (gone.has(id) ? undefined : view()));
    const [one, two] = [await world.index(sections('Apple')), await world.index(sections('Berry'), { sourceId: 'two' as never })];
    await world.deleteDocument.run(WRITER, one.documentId, 'request-2');
    gone.add(one.documentId);
    expect((await changes()).map(({ documentId, status }) => [documentId, status])).toEqual([
      [two.documentId, 'indexed'],
      [one.documentId, 'deleted'],
    ]);
    // While the catalog is being rebuilt, missing documents are not reported.
    gone.add(two.documentId);
    expect((await changes()).map(({ documentId }) => documentId)).toEqual([one.documentId]);
  });

  it('can be filtered by id and by knowledge base, including deleted documents', async () => {
    const gone = new Set<string>();
    const { world, changes } = await aWorld((id) => (gone.has(id) ? undefined : view()));
    const one = await world.index(sections('Apple'));
    await world.index(sections('Berry'), { sourceId: 'two' as never });
    expect(await changes(reader, { document: one.documentId })).toHaveLength(1);
    await world.deleteDocument.run(WRITER, one.documentId, 'request-2');
    gone.add(one.documentId);
    expect((await changes(reader, { knowledgeBase: knowledgeBaseId('handbook') })).map(({ status }) => status)).toEqual([
      'indexed',
      'deleted',
    ]);
    expect(await changes(reader, { knowledgeBase: knowledgeBaseId('other') })).toEqual([]);
  });

  it('are not sent to callers who may not read the document, whatever the catalog shows', async () => {
    const { world, changes, follow } = await aWorld(() => view());
    const { documentId } = await world.index(sections('Apple'));
    const strangers: Access[] = [
      { ...reader, tenant: tenantId('other') },
      { ...reader, teams: ['blue'] },
      { ...reader, teams: [], user: 'red' },
    ];
    for (const stranger of strangers)
      for (const query of [{}, { document: documentId }]) expect(await changes(stranger, query)).toEqual([]);
    const byOperator = new FollowDocuments({ access: { ...reader, roles: ['operator'] }, correlationId: 'test' }, {});
    await expect(new Buses(follow.handlers, UNLIMITED).execute(byOperator)).rejects.toThrow(Forbidden);
    expect(await changes()).toHaveLength(1);
  });

  it('are not sent to a key that requires other labels, also not their deletion', async () => {
    const gone = new Set<string>();
    // The catalog of this test shows everything that exists; the real one shows only documents with the labels.
    const { world, changes, follow } = await aWorld((id) => (gone.has(id) ? undefined : view()));
    const [hr, legal] = [
      await world.index(sections('Apple'), { labels: { department: 'hr' } }),
      await world.index(sections('Berry'), { sourceId: 'two' as never, labels: { department: 'legal' } }),
    ];
    const limited: Access = { ...reader, requiredLabels: { department: ['hr'] } };
    await follow.run(limited, { document: hr.documentId });
    await expect(follow.run(limited, { document: legal.documentId })).rejects.toThrow(`document "${legal.documentId}" not found`);
    for (const { documentId } of [hr, legal]) {
      await world.deleteDocument.run(WRITER, documentId, 'request-2');
      gone.add(documentId);
    }
    expect((await changes(limited)).map(({ documentId, status }) => [documentId, status])).toEqual([[hr.documentId, 'deleted']]);
    expect(await changes()).toHaveLength(2);
    await expect(follow.run(limited, { document: legal.documentId })).rejects.toThrow('not found');
  });

  it('are left out if the event is malformed', async () => {
    const { world, changes } = await aWorld(() => view());
    const metadata = { tenant: SCOPE.tenant, scope: vectorScope('team:red'), schemaVersion: 1 };
    const id = (n: number) => `00000000-0000-8000-8000-00000000000${n}`;
    await world.log.append(
      'document-acme-x' as StreamName,
      [
        { id: id(1), type: 'DocumentFailed', data: {}, metadata },
        { id: id(2), type: 'DocumentFailed', data: {}, metadata: { ...metadata, scope: 7 } },
      ],
      'no-stream',
    );
    expect(await changes()).toEqual([]);
  });

  it('are refused with the same error whether the filtered document or knowledge base is unknown or not readable', async () => {
    const { world, follow } = await aWorld(() => view());
    const { documentId } = await world.index(sections('Apple'));
    const unknown = 'f'.repeat(32) as never;
    const stranger: Access = { ...reader, teams: [], user: 'stranger' };
    await follow.run(reader, { document: documentId, knowledgeBase: knowledgeBaseId('handbook') });
    await expect(follow.run(reader, { document: unknown })).rejects.toThrow(`document "${unknown}" not found`);
    await expect(follow.run(reader, { knowledgeBase: knowledgeBaseId('none') })).rejects.toThrow('knowledge base "none" not found');
    for (const access of [stranger, { ...reader, tenant: tenantId('other') }]) {
      await expect(follow.run(access, { document: documentId })).rejects.toThrow(`document "${documentId}" not found`);
      await expect(follow.run(access, { knowledgeBase: knowledgeBaseId('handbook') })).rejects.toThrow(
        'knowledge base "handbook" not found',
      );
    }
  });
});
