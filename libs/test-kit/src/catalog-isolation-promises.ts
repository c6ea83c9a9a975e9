import { expect, it } from '@jest/globals';
import { vectorScope, knowledgeBaseId } from '@palimpsest/knowledge/values';
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
import type { PermittedScope } from '@palimpsest/knowledge/access';

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
  chunksOf: [0, 0],
  chunks: [],
  visible: '',
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
      chunksOf: [2, 0],
      chunks: ['1 ours, red', '2 ours, red'],
      visible: '12',
    });
    expect(await seen(current(), permitted(['team:red', 'team:blue']))).toMatchObject({
      one: ['red', 'blue'],
      existing: ['1', '2'],
      versions: [1, 1],
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
