import { Forbidden, knowledgeBaseId, position, tenantId, vectorScope, type Access, type DocumentView, type Position, type RecordedEvent, type StreamName } from '@palimpsest/knowledge';
import { SCOPE, sections, World, WRITER } from '../../test/world.ts';
import { FollowDocuments, liveDocuments, type DocumentChange } from './follow-documents.ts';

const reader: Access = { ...WRITER, roles: ['reader'] };

/** Every event of the log in batches of one size, and a catalogue that shows what a test says. */
const aWorld = async (views: (id: string) => Partial<DocumentView> | undefined, batch = 100) => {
  const world = await new World().begin();
  const reached: Position[] = [];
  const follow = new FollowDocuments(
    { current: async (_, id) => views(id) as DocumentView | undefined },
    { reached: async (at) => (reached.push(at), true) },
    world.log,
  );
  const changes = async (access = reader, query: object = {}, shownAfter: (change: DocumentChange) => void = () => undefined) => {
    const events: RecordedEvent[] = [];
    for await (const event of world.log.readAll()) events.push(event);
    const batches = (async function* () {
      for (let i = 0; i < events.length; i += batch) yield { events: events.slice(i, i + batch), upTo: events[Math.min(i + batch, events.length) - 1]?.position ?? position(0n) };
    })();
    const told: DocumentChange[] = [];
    for await (const { data } of follow.changes(access, liveDocuments(access, query), batches, new AbortController().signal)) {
      if (!data) continue;
      shownAfter(data);
      told.push(data);
    }
    return told;
  };
  return { world, changes, reached, follow };
};

const view = (over: Partial<DocumentView> = {}): Partial<DocumentView> => ({ tenant: SCOPE.tenant, status: 'indexed', knowledgeBase: knowledgeBaseId('handbook'), ...over });

describe('documents as they change', () => {
  it('are told as the catalogue shows them, once it has come that far, and without the tenant', async () => {
    const { world, changes, reached } = await aWorld(() => view());
    const { documentId } = await world.index(sections('Apple', 'Berry'));
    const head = await world.log.head();
    const told = await changes(reader, {}, () => expect(reached).toEqual([head]));
    expect(told).toEqual([{ position: String(head), documentId, status: 'indexed', at: expect.any(String), document: { status: 'indexed', knowledgeBase: 'handbook' } }]);
  });

  it('tell how far the embedding is while they are processed', async () => {
    const { world, changes } = await aWorld(() => view({ status: 'processing' }), 1);
    await world.index(sections('Apple', 'Berry'));
    expect((await changes()).map(({ progress }) => progress)).toEqual([undefined, undefined, { chunks: 1, of: 2 }, { chunks: 2, of: 2 }, undefined]);
  });

  it('are told as deleted only when they were, and come by the position of their last event', async () => {
    const gone = new Set<string>();
    const { world, changes } = await aWorld((id) => (gone.has(id) ? undefined : view()));
    const [one, two] = [await world.index(sections('Apple')), await world.index(sections('Berry'), { sourceId: 'two' as never })];
    await world.deleteDocument.run(WRITER, one.documentId, 'request-2');
    gone.add(one.documentId);
    expect((await changes()).map(({ documentId, status }) => [documentId, status])).toEqual([[two.documentId, 'indexed'], [one.documentId, 'deleted']]);
    // Of a catalogue that is being built anew, nothing is said.
    gone.add(two.documentId);
    expect((await changes()).map(({ documentId }) => documentId)).toEqual([one.documentId]);
  });

  it('can be asked for by id and by knowledge base, also those that are deleted', async () => {
    const gone = new Set<string>();
    const { world, changes } = await aWorld((id) => (gone.has(id) ? undefined : view()));
    const one = await world.index(sections('Apple'));
    await world.index(sections('Berry'), { sourceId: 'two' as never });
    expect(await changes(reader, { document: one.documentId })).toHaveLength(1);
    await world.deleteDocument.run(WRITER, one.documentId, 'request-2');
    gone.add(one.documentId);
    expect((await changes(reader, { knowledgeBase: 'handbook' })).map(({ status }) => status)).toEqual(['indexed', 'deleted']);
    expect(await changes(reader, { knowledgeBase: 'other' })).toEqual([]);
  });

  it('are told to nobody who may not read them, whatever the catalogue would show', async () => {
    const { world, changes } = await aWorld(() => view());
    const { documentId } = await world.index(sections('Apple'));
    const strangers: Access[] = [{ ...reader, tenant: tenantId('other') }, { ...reader, teams: ['blue'] }, { ...reader, teams: [], user: 'red' }];
    for (const stranger of strangers) for (const query of [{}, { document: documentId }]) expect(await changes(stranger, query)).toEqual([]);
    await expect(changes({ ...reader, roles: ['operator'] })).rejects.toThrow(Forbidden);
    expect(await changes()).toHaveLength(1);
  });

  it('are left out where an event cannot be understood', async () => {
    const { world, changes } = await aWorld(() => view());
    const metadata = { tenant: SCOPE.tenant, scope: vectorScope('team:red'), schemaVersion: 1 };
    const id = (n: number) => `00000000-0000-8000-8000-00000000000${n}`;
    await world.log.append('document-acme-x' as StreamName, [{ id: id(1), type: 'DocumentFailed', data: {}, metadata }, { id: id(2), type: 'DocumentFailed', data: {}, metadata: { ...metadata, scope: 7 } }], 'no-stream');
    expect(await changes()).toEqual([]);
  });

  it('are refused when the document or knowledge base that is named is unknown, or closed to the caller: with the same error', async () => {
    const { world, follow } = await aWorld(() => view());
    const { documentId } = await world.index(sections('Apple'));
    const unknown = 'f'.repeat(32) as never;
    const stranger: Access = { ...reader, teams: [], user: 'nobody' };
    await follow.refuseUnknown(reader, { document: documentId, knowledgeBase: knowledgeBaseId('handbook') });
    await expect(follow.refuseUnknown(reader, { document: unknown })).rejects.toThrow(`no document "${unknown}"`);
    await expect(follow.refuseUnknown(reader, { knowledgeBase: knowledgeBaseId('none') })).rejects.toThrow('no knowledge base "none"');
    for (const access of [stranger, { ...reader, tenant: tenantId('other') }]) {
      await expect(follow.refuseUnknown(access, { document: documentId })).rejects.toThrow(`no document "${documentId}"`);
      await expect(follow.refuseUnknown(access, { knowledgeBase: knowledgeBaseId('handbook') })).rejects.toThrow('no knowledge base "handbook"');
    }
  });
});
