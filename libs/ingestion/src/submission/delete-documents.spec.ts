import type { Access } from '@palimpsest/knowledge/access';
import { Conflict, Forbidden, InvalidValue, NotFound } from '@palimpsest/knowledge/errors';
import { UNLIMITED } from '@palimpsest/knowledge/limits';
import { documentId, knowledgeBaseId, sourceId, vectorScope, type DocumentId } from '@palimpsest/knowledge/values';
import { Buses } from '@palimpsest/runtime';
import { followedCatalog } from '../../test/followed-catalog.ts';
import { BASE, sections, SCOPE, World, WRITER } from '../../test/world.ts';
import type { Selection } from '../documents/select-documents.ts';
import { DeleteDocuments, DeleteDocumentsHandler, type DeletedDocuments } from './delete-documents.ts';

const EMPTY: DeletedDocuments = { matching: 0, deleted: 0, changed: 0, remaining: 0, documents: [], position: 0n as never };

/** Six documents a1 … b3. Those of `a` have the label team=red, and those with a 1 year=2025. */
const aWorld = async (atOnce?: number) => {
  const world = await new World().begin();
  const { catalog, follow } = followedCatalog(world);
  const ids = new Map<string, DocumentId>();
  for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'b3']) {
    const labels = { ...(name.startsWith('a') ? { team: 'red' } : {}), ...(name.endsWith('1') ? { year: '2025' } : {}) };
    ids.set(name, (await world.submit(sections(`Text ${name}`), { sourceId: sourceId(`${name}.md`), title: name, labels })).documentId);
  }
  await follow();
  const view = { catalog, position: () => 0n as never, serving: () => true };
  const handler = new DeleteDocumentsHandler({ live: () => view }, world.deleteDocument, atOnce);
  const buses = new Buses(handler.handlers, UNLIMITED);
  const remove = (selection: Selection, over: Readonly<{ dryRun?: boolean; expected?: number }> = {}, access: Access = WRITER) =>
    buses.execute(new DeleteDocuments({ access, correlationId: 'request-2' }, { selection, dryRun: false, ...over }));
  const left = async () => {
    await follow();
    const found = await catalog.documentsIn(SCOPE.tenant, BASE, 99);
    return [...ids].filter(([, id]) => found.includes(id)).map(([name]) => name);
  };
  return { world, ids, remove, left, follow };
};
const inBase = (selection: Selection): Selection => ({ knowledgeBase: BASE, ...selection });

describe('deleting the documents that match conditions', () => {
  it.each<[string, Selection, readonly string[]]>([
    ['labels', { labels: { team: 'red' } }, ['b1', 'b2', 'b3']],
    ['several labels', { labels: { team: 'red', year: '2025' } }, ['a2', 'a3', 'b1', 'b2', 'b3']],
    ['the beginning of the source', { source: 'b' }, ['a1', 'a2', 'a3']],
    ['the source', { sourceId: sourceId('b1.md') }, ['a1', 'a2', 'a3', 'b2', 'b3']],
    ['a source that begins otherwise', { source: 'a', sourceId: sourceId('b1.md') }, ['a1', 'a2', 'a3', 'b1', 'b2', 'b3']],
    ['the status', { status: 'failed' }, ['a1', 'a2', 'a3', 'b1', 'b2', 'b3']],
    ['a filter', { filter: { not: { eq: { field: 'label.team', value: 'red' } } } }, ['a1', 'a2', 'a3']],
    ['all conditions together', { source: 'a', filter: { in: { field: 'title', values: ['a2', 'b2'] } } }, ['a1', 'a3', 'b1', 'b2', 'b3']],
    ['a scope', { knowledgeBase: undefined as never, scope: SCOPE.scope, source: 'a' }, ['b1', 'b2', 'b3']],
    ['another scope', { scope: vectorScope('deployment'), source: 'a' }, ['a1', 'a2', 'a3', 'b1', 'b2', 'b3']],
  ])('by %s', async (_, selection, expected) => {
    const { remove, left } = await aWorld();
    const before = 6 - expected.length;
    const done = await remove(inBase(selection));
    expect(done).toMatchObject({ matching: before, deleted: before, changed: 0, remaining: 0 });
    expect(await left()).toEqual(expected);
    expect(await remove(inBase(selection))).toMatchObject({ ...EMPTY, position: expect.anything() });
  });

  it('by ids: an unknown one selects nothing', async () => {
    const { ids, remove, left } = await aWorld();
    const some = [ids.get('a1') as DocumentId, documentId('f'.repeat(32))];
    expect(await remove(inBase({ ids: some }))).toMatchObject({ matching: 1, deleted: 1 });
    expect(await left()).not.toContain('a1');
  });

  it('deletes nothing in a dry run, or if another number matches than expected', async () => {
    const { remove, left, world } = await aWorld();
    const head = await world.log.head();
    const found = await remove(inBase({ source: 'a' }), { dryRun: true, expected: 3 });
    expect(found).toMatchObject({ matching: 3, deleted: 0, remaining: 3 });
    expect(found.documents.map(({ title }) => title)).toEqual(['a1', 'a2', 'a3']);
    await expect(remove(inBase({ source: 'a' }), { expected: 2 })).rejects.toThrow(
      new Conflict('3 documents match, not 2: nothing was deleted'),
    );
    expect(await world.log.head()).toBe(head);
    expect(await left()).toHaveLength(6);
    expect(await remove(inBase({ source: 'a' }), { expected: 3 })).toMatchObject({ deleted: 3 });
  });

  it.each<[string, Selection]>([
    ['the source', { source: 'a' }],
    ['a label', { labels: { team: 'red' } }],
  ])('by %s, request by request: what it counts is on the log', async (_, selection) => {
    const { remove, left } = await aWorld(2);
    expect(await remove(inBase(selection))).toMatchObject({ matching: 3, deleted: 2, remaining: 1 });
    expect(await left()).toHaveLength(4);
    expect(await remove(inBase(selection))).toMatchObject({ matching: 1, deleted: 1, remaining: 0 });
  });

  it('keeps a document that was changed after it was selected, and passes over one that was deleted', async () => {
    const { ids, remove, left, world, follow } = await aWorld();
    await world.submit(sections('Changed'), { sourceId: sourceId('a2.md') });
    await world.deleteDocument.run(WRITER, ids.get('a3') as DocumentId, 'request-3');
    expect(await remove(inBase({ source: 'a' }))).toMatchObject({ matching: 3, deleted: 1, changed: 1, remaining: 0 });
    await follow();
    expect(await left()).toEqual(['a2', 'b1', 'b2', 'b3']);
  });

  it.each<[string, Selection, string]>([
    ['no knowledge base or scope', { source: 'a' }, 'knowledgeBase: expected a knowledge base or a scope'],
    ['no condition', { knowledgeBase: BASE, labels: {} }, 'body: expected at least one of status, source'],
    [
      'a field that documents do not have',
      { knowledgeBase: BASE, filter: { not: { or: [{ eq: { field: 'lable.year', value: '1' } }] } } },
      'filter: expected documentId, knowledgeBase, source, title, mediaType, language, origin or label.<name>, got "lable.year"',
    ],
  ])('refuses %s', async (_, selection, message) => {
    const { remove } = await aWorld();
    await expect(remove(selection)).rejects.toThrow(InvalidValue);
    await expect(remove(selection)).rejects.toThrow(message);
  });

  it('compares labels by the types that the knowledge base declares, and refuses others', async () => {
    const { remove, left, world, follow } = await aWorld();
    await world.knowledgeBases.configure(WRITER, BASE, { fields: { 'label.year': 'number' } }, 'request-0');
    await follow();
    const range = (gte: number | string): Selection => inBase({ filter: { range: { field: 'label.year', gte } } });
    await expect(remove(range('new'))).rejects.toThrow(/^filter: expected a decimal number .* for label\.year/);
    await expect(remove(inBase({ filter: { not: { exists: { field: 'label.team' } } } }))).rejects.toThrow(
      /^filter: expected a field that the knowledge base declares \(label\.year, .*got "label\.team"$/,
    );
    expect(await left()).toHaveLength(6);
    expect(await remove(range(900), { dryRun: true })).toMatchObject({ matching: 2 });
    expect(await remove(range(900))).toMatchObject({ deleted: 2 });
    expect(await left()).toEqual(['a2', 'a3', 'b2', 'b3']);
  });

  it('finds and deletes only documents with the labels that the key requires', async () => {
    const { remove, left } = await aWorld();
    const limited: Access = { ...WRITER, requiredLabels: { team: ['red'] } };
    expect(await remove(inBase({ source: 'b' }), {}, limited)).toEqual({ ...EMPTY, position: expect.anything() });
    expect(await remove(inBase({ labels: { year: '2025' } }), { dryRun: true }, limited)).toMatchObject({
      matching: 1,
      documents: [{ title: 'a1' }],
    });
    expect(await remove(inBase({ filter: { exists: { field: 'title' } } }), { expected: 3 }, limited)).toMatchObject({ deleted: 3 });
    expect(await left()).toEqual(['b1', 'b2', 'b3']);
  });

  it('finds nothing that the caller may not read, and is not for readers', async () => {
    const { remove, left } = await aWorld();
    const stranger: Access = { ...WRITER, teams: ['blue'] };
    await expect(remove(inBase({ source: 'a' }), {}, stranger)).rejects.toThrow(NotFound);
    await expect(remove({ scope: SCOPE.scope, source: 'a' }, {}, stranger)).rejects.toThrow(NotFound);
    await expect(remove({ knowledgeBase: knowledgeBaseId('none'), source: 'a' })).rejects.toThrow(NotFound);
    expect(await remove({ scope: vectorScope('deployment'), source: 'a' }, {}, stranger)).toMatchObject({ matching: 0 });
    await expect(remove(inBase({ source: 'a' }), {}, { ...WRITER, roles: ['reader'] })).rejects.toThrow(Forbidden);
    expect(await left()).toHaveLength(6);
  });
});
