import { expect, it } from '@jest/globals';
import { chunkListId, knowledgeBaseId, vectorScope } from '@palimpsest/knowledge/values';
import { collect } from './event-log-fixture.ts';
import {
  aCatalogPosition,
  ACME,
  aChunkId,
  aDocumentId,
  deleted,
  indexed,
  knowledgeBaseCreated,
  OTHER,
  permitted,
  scopeOf,
  submitted,
  type CatalogUnderTest,
} from './catalog-fixture.ts';
import type { PermittedScope, RequiredLabels } from '@palimpsest/knowledge/access';

const red = vectorScope('team:red');
const blue = vectorScope('team:blue');

/** The same ids in two tenants, and documents of two scopes in one of them. */
const fill = async ({ catalog }: CatalogUnderTest): Promise<void> => {
  const theirs = { tenant: OTHER, scope: red };
  await catalog.apply(
    [
      knowledgeBaseCreated({ id: knowledgeBaseId('red'), scope: red }),
      knowledgeBaseCreated({ id: knowledgeBaseId('blue'), scope: blue }),
      knowledgeBaseCreated({ ...theirs, id: knowledgeBaseId('red') }),
      submitted(1, { scope: red, title: 'ours, red' }),
      indexed(1, [1, 2], { scope: red, title: 'ours, red' }),
      submitted(2, { scope: blue }),
      indexed(2, [3], { scope: blue }),
      submitted(1, { ...theirs, title: 'theirs' }),
      indexed(1, [1, 2, 9], { ...theirs, title: 'theirs' }),
    ],
    aCatalogPosition(1),
  );
};

/** Everything that a caller with these scopes can read. */
const seen = async ({ catalog }: CatalogUnderTest, scopes: readonly PermittedScope[]) => {
  const documents = [1, 2].map(aDocumentId);
  const chunks = (await catalog.chunks(scopes, [1, 2, 3, 9].map(aChunkId)))
    .map(({ chunkId, title }) => `${chunkId.slice(-1)} ${title}`)
    .sort();
  return {
    knowledgeBases: (await catalog.knowledgeBases(scopes)).map(({ id }) => id),
    one: await Promise.all(['red', 'blue'].map(async (id) => (await catalog.knowledgeBase(scopes, knowledgeBaseId(id)))?.id)),
    list: (await catalog.documents(scopes, { limit: 9 })).items.map(({ title }) => title),
    each: await Promise.all(documents.map(async (id) => (await catalog.document(scopes, id))?.title)),
    existing: [...(await catalog.existing(scopes, [...documents, aDocumentId(7)]))].map((id) => id.slice(-1)).sort(),
    versions: await Promise.all(documents.map(async (id) => (await catalog.versions(scopes, id)).length)),
    between: await Promise.all(documents.map(async (id) => (await catalog.chunksBetween(scopes, id, { from: 0, to: 9 })).length)),
    chunksOf: await Promise.all(documents.map(async (id) => (await catalog.chunksOf(scopes, id, { limit: 9 })).items.length)),
    chunks,
    visible: [...(await catalog.visible(scopes, [9, 3, 2, 1].map(aChunkId)))]
      .map((id) => id.slice(-1))
      .sort()
      .join(''),
  };
};

const nothing = {
  knowledgeBases: [],
  one: [undefined, undefined],
  list: [],
  each: [undefined, undefined],
  existing: [],
  versions: [0, 0],
  between: [0, 0],
  chunksOf: [0, 0],
  chunks: [],
  visible: '',
};

/** A document for each case: `labels` of its latest version, and `indexed` of the one that searches see. */
const HR = { department: 'hr', 'a.b-c': 'x' };
const LABELLED = [
  { labels: HR, indexed: HR },
  { labels: { department: 'legal' }, indexed: { department: 'legal' } },
  { labels: {}, indexed: {} },
  // A new version is waiting: what it has lost and what it will have.
  { labels: { department: 'legal' }, indexed: HR },
  { labels: HR, indexed: { department: 'legal' } },
];
const KEPT = chunkListId('settings:markdown.maxchars=500');

const fillLabelled = async ({ catalog }: CatalogUnderTest): Promise<void> => {
  await catalog.apply(
    [
      knowledgeBaseCreated({ scope: red }),
      ...LABELLED.flatMap(({ labels, indexed: before }, i) => [
        submitted(i + 1, { scope: red, labels: before }),
        indexed(i + 1, [i + 1], { scope: red, labels: before }),
        indexed(i + 1, [i + 1], { scope: red, labels: before, chunkList: KEPT }),
        submitted(i + 1, { scope: red, labels, version: 2 }),
      ]),
    ],
    aCatalogPosition(1),
  );
};

const seenLabelled = async ({ catalog }: CatalogUnderTest, scopes: readonly PermittedScope[]) => {
  const numbers = LABELLED.map((_, i) => i + 1);
  const [documents, chunks] = [numbers.map(aDocumentId), numbers.map(aChunkId)];
  const last = (ids: Iterable<string>): string =>
    [...ids]
      .map((id) => id.slice(-1))
      .sort()
      .join('');
  const each = async (has: (id: (typeof documents)[number]) => Promise<boolean>): Promise<string> => {
    const found = await Promise.all(documents.map(has));
    return last(documents.filter((_, i) => found[i]));
  };
  const { items, next } = await catalog.documents(scopes, { limit: 1 });
  const counts = await catalog.countsIn(scopes);
  return {
    list: last((await catalog.documents(scopes, { limit: 9 })).items.map(({ documentId }) => documentId)),
    page: [last(items.map(({ documentId }) => documentId)), next !== undefined],
    total: await catalog.countDocuments(scopes, { status: 'pending' }),
    counts: [counts.documents.total, counts.documents.pending],
    of: [
      (await catalog.knowledgeBases(scopes))[0]?.documents,
      (await catalog.knowledgeBase(scopes, knowledgeBaseId('handbook')))?.documents,
    ],
    document: await each(async (id) => (await catalog.document(scopes, id)) !== undefined),
    existing: last(await catalog.existing(scopes, documents)),
    versions: await each(async (id) => (await catalog.versions(scopes, id)).length > 0),
    chunksOf: await each(async (id) => (await catalog.chunksOf(scopes, id, { limit: 9 })).items.length > 0),
    chunks: last((await catalog.chunks(scopes, chunks)).map(({ chunkId }) => chunkId)),
    visible: last(await catalog.visible(scopes, chunks)),
    between: await each(async (id) => (await catalog.chunksBetween(scopes, id, { from: 0, to: 0 })).length > 0),
    betweenInList: await each(async (id) => (await catalog.chunksBetween(scopes, id, { from: 0, to: 0 }, KEPT)).length > 0),
    listed: last((await catalog.chunks(scopes, chunks, KEPT)).map(({ chunkId }) => chunkId)),
    visibleInList: last(await catalog.visible(scopes, chunks, KEPT)),
  };
};

export const isolationPromises = (current: () => CatalogUnderTest): void => {
  it('returns only data in the permitted scopes from each read', async () => {
    await fill(current());
    expect(await seen(current(), permitted(['team:red']))).toEqual({
      knowledgeBases: ['red'],
      one: ['red', undefined],
      list: ['ours, red'],
      each: ['ours, red', undefined],
      existing: ['1'],
      versions: [1, 0],
      between: [2, 0],
      chunksOf: [2, 0],
      chunks: ['1 ours, red', '2 ours, red'],
      visible: '12',
    });
    expect(await seen(current(), permitted(['team:red', 'team:blue']))).toMatchObject({
      one: ['red', 'blue'],
      existing: ['1', '2'],
      versions: [1, 1],
      between: [2, 1],
      chunksOf: [2, 1],
    });
  });

  it('returns nothing of another tenant, even with the same ids and scopes', async () => {
    await fill(current());
    expect(await seen(current(), permitted(['team:red', 'team:blue'], OTHER))).toEqual({
      knowledgeBases: ['red'],
      one: ['red', undefined],
      list: ['theirs'],
      each: ['theirs', undefined],
      existing: ['1'],
      versions: [1, 0],
      between: [3, 0],
      chunksOf: [3, 0],
      chunks: ['1 theirs', '2 theirs', '9 theirs'],
      visible: '129',
    });
  });

  it('returns nothing if no scope is permitted, or only empty ones', async () => {
    await fill(current());
    expect(await seen(current(), [])).toEqual(nothing);
    expect(await seen(current(), permitted(['platform', 'team:Red', 'user:ann']))).toEqual(nothing);
  });

  it('returns only documents with the required labels, and chunks of versions that have them, too', async () => {
    await fillLabelled(current());
    const seenWith = (requiredLabels: RequiredLabels) =>
      seenLabelled(current(), permitted(['team:red', 'deployment'], ACME, requiredLabels));
    const hr = { documents: '15', chunks: '1' };
    const legal = { documents: '24', chunks: '2' };
    const expected = ({ documents, chunks }: typeof hr) => ({
      list: documents,
      page: [documents.slice(0, 1), documents.length > 1],
      total: documents.length,
      counts: [documents.length, documents.length],
      of: [documents.length, documents.length],
      ...{ document: documents, existing: documents, versions: documents },
      ...{ between: chunks, betweenInList: chunks, chunksOf: chunks, chunks, visible: chunks, listed: chunks, visibleInList: chunks },
    });
    expect(await seenWith({ department: ['hr'] })).toEqual(expected(hr));
    expect(await seenWith({ department: ['legal'] })).toEqual(expected(legal));
    expect(await seenWith({ department: ['hr'], 'a.b-c': ['y', 'x'] })).toEqual(expected(hr));
    expect(await seenWith({ department: ['hr', 'legal'] })).toEqual(expected({ documents: '1245', chunks: '1245' }));
    for (const none of [{ department: ['HR'] }, { department: [''] }, { toString: ['hr'] }, { department: ['hr'], region: ['eu'] }])
      expect(await seenWith(none)).toEqual(expected({ documents: '', chunks: '' }));
    expect(await seenLabelled(current(), permitted(['team:red']))).toEqual(expected({ documents: '12345', chunks: '12345' }));
  });

  it('changes nothing in the other tenant or scope', async () => {
    await fill(current());
    const { catalog } = current();
    await catalog.apply([deleted(1), deleted(2, OTHER)], aCatalogPosition(2));
    expect((await seen(current(), permitted(['team:red'], OTHER))).chunksOf).toEqual([3, 0]);
    expect((await seen(current(), permitted(['team:blue']))).chunksOf).toEqual([0, 1]);
    const lists = [scopeOf('team:red'), scopeOf('team:blue'), scopeOf('team:red', OTHER)].map(async (scope) => [
      (await catalog.indexedDocuments(scope, 9)).length,
      (await collect(catalog.contentHashes(scope))).length,
    ]);
    expect(await Promise.all(lists)).toEqual([
      [0, 0],
      [1, 1],
      [1, 3],
    ]);
    expect(await catalog.chunkCount(ACME)).toBe(1);
  });
};
