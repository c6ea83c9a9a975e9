import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import type { ListPage } from '@palimpsest/knowledge/read-models';
import { knowledgeBaseId, sourceId, vectorScope } from '@palimpsest/knowledge/values';
import { collect } from './event-log-fixture.ts';
import {
  aCatalogPosition,
  aChunkId,
  ACME,
  aDocumentId,
  at,
  deleted,
  failed,
  indexed,
  knowledgeBaseCreated,
  OTHER,
  permitted,
  processing,
  scopeOf,
  settings,
  submitted,
  type CatalogUnderTest,
} from './catalog-fixture.ts';

const scopes = permitted(['deployment']);
const handbook = knowledgeBaseId('handbook');

/** Reads all items, page by page. */
const walk = async <T>(limit: number, read: (page: { limit: number; cursor?: string }) => Promise<ListPage<T>>): Promise<readonly T[]> => {
  const items: T[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await read({ limit, ...(cursor === undefined ? {} : { cursor }) });
    expect(page.items.length).toBeLessThanOrEqual(limit);
    items.push(...page.items);
    if (page.next === undefined) return items;
    expect(page.items).toHaveLength(limit);
    cursor = page.next;
  }
};

export const listPromises = (current: () => CatalogUnderTest): void => {
  it('lists documents by source, page by page, each once, for any page size', async () => {
    const { catalog } = current();
    const sources = ['b', 'a', 'ä', 'a/1', 'Z', '', 'b'].map((name, i) => ({ number: i + 1, source: sourceId(`x${name}`) }));
    await catalog.apply(
      sources.map(({ number, source }) => submitted(number, { sourceId: source })),
      aCatalogPosition(1),
    );
    const expected = [...sources]
      .sort((a, b) => (a.source < b.source ? -1 : a.source > b.source ? 1 : a.number - b.number))
      .map(({ number }) => aDocumentId(number));
    for (const limit of [1, 2, 3, 7, 50])
      expect((await walk(limit, (page) => catalog.documents(scopes, page))).map(({ documentId }) => documentId)).toEqual(expected);
  });

  it('filters documents by knowledge base, by state, by source prefix, and by all of these', async () => {
    const { catalog } = current();
    await catalog.apply(
      [
        submitted(1, { sourceId: sourceId('guide/a.md') }),
        submitted(2, { sourceId: sourceId('guide/b.md'), knowledgeBase: knowledgeBaseId('other') }),
        indexed(2, [2]),
        submitted(3, { sourceId: sourceId('guide_a.md') }),
        processing(3),
        submitted(4, { sourceId: sourceId('Guide/a.md') }),
        failed(4),
        submitted(5, { sourceId: sourceId('50%_off.md') }),
        indexed(5, [5]),
      ],
      aCatalogPosition(1),
    );
    const numbers = async (query: object) =>
      (await catalog.documents(scopes, { limit: 9, ...query })).items.map(({ documentId }) => Number(`0x${documentId}`)).sort();
    expect(await numbers({ knowledgeBase: handbook })).toEqual([1, 3, 4, 5]);
    expect(await numbers({ status: 'indexed' })).toEqual([2, 5]);
    expect(await numbers({ source: 'guide/' })).toEqual([1, 2]);
    expect(await numbers({ source: 'guide_' })).toEqual([3]);
    expect(await numbers({ source: '50%' })).toEqual([5]);
    expect(await numbers({ source: '%' })).toEqual([]);
    expect(await numbers({ source: 'guide/', status: 'indexed', knowledgeBase: handbook })).toEqual([]);
  });

  it('lists the chunks of a document in their order, page by page', async () => {
    const { catalog } = current();
    const numbers = Array.from({ length: 7 }, (_, i) => 20 - i);
    await catalog.apply([submitted(1), indexed(1, numbers)], aCatalogPosition(1));
    for (const limit of [1, 3, 7]) {
      const chunks = await walk(limit, (page) => catalog.chunksOf(scopes, aDocumentId(1), page));
      expect(chunks.map(({ chunkId, index, of }) => [chunkId, index, of])).toEqual(numbers.map((number, i) => [aChunkId(number), i, 7]));
    }
    expect((await catalog.chunksOf(scopes, aDocumentId(2), { limit: 5 })).items).toEqual([]);
  });

  it('rejects an invalid cursor', async () => {
    const { catalog } = current();
    await catalog.apply([submitted(1), indexed(1, [1, 2])], aCatalogPosition(1));
    const forged = [
      '',
      'x',
      '{}',
      '[]',
      '[1,2]',
      '["a"]',
      'null',
      Buffer.from('[1]').toString('base64url'),
      Buffer.from('["a"]').toString('base64url'),
      Buffer.from('{').toString('base64url'),
    ];
    for (const cursor of forged) {
      await expect(catalog.documents(scopes, { limit: 5, cursor })).rejects.toBeInstanceOf(InvalidValue);
      await expect(catalog.chunksOf(scopes, aDocumentId(1), { limit: 5, cursor })).rejects.toBeInstanceOf(InvalidValue);
    }
    await fc.assert(
      fc.asyncProperty(fc.string(), async (cursor) => {
        const answer = await catalog.documents(scopes, { limit: 5, cursor }).catch((error: unknown) => error);
        if (answer instanceof Error) expect(answer).toBeInstanceOf(InvalidValue);
      }),
    );
  });

  it('rejects the cursor of another list', async () => {
    const { catalog } = current();
    await catalog.apply([submitted(1), submitted(2), indexed(1, [1, 2])], aCatalogPosition(1));
    const { next = '' } = await catalog.documents(scopes, { limit: 1 });
    expect(next).not.toBe('');
    await expect(catalog.chunksOf(scopes, aDocumentId(1), { limit: 1, cursor: next })).rejects.toBeInstanceOf(InvalidValue);
  });

  it('lists knowledge bases with their settings, status and number of documents', async () => {
    const { catalog } = current();
    const other = knowledgeBaseId('archive');
    await catalog.apply(
      [knowledgeBaseCreated(), knowledgeBaseCreated({ id: other, at: at(9) }), submitted(1), submitted(2)],
      aCatalogPosition(1),
    );
    await catalog.apply(
      [
        { change: 'knowledge-base-configured', tenant: ACME, id: handbook, settings: { ...settings('Renamed'), description: 'All of it' } },
        { change: 'knowledge-base-archived', tenant: ACME, id: other },
      ],
      aCatalogPosition(2),
    );
    const handbookView = {
      ...settings('Renamed'),
      description: 'All of it',
      id: handbook,
      tenant: ACME,
      scope: 'deployment',
      status: 'active',
      documents: 2,
      createdAt: at(0),
    };
    expect(await catalog.knowledgeBases(scopes)).toEqual([
      { ...settings(), id: other, tenant: ACME, scope: 'deployment', status: 'archived', documents: 0, createdAt: at(9) },
      handbookView,
    ]);
    expect(await catalog.knowledgeBase(scopes, handbook)).toEqual(handbookView);
    expect(await catalog.knowledgeBase(scopes, knowledgeBaseId('none'))).toBeUndefined();
  });

  it('lists knowledge bases whose deletion was requested with what is left of them, and none that were deleted', async () => {
    const { catalog } = current();
    const other = knowledgeBaseId('other');
    const bases = [knowledgeBaseCreated(), knowledgeBaseCreated({ id: other }), knowledgeBaseCreated({ tenant: OTHER })];
    const of = { tenant: ACME, id: handbook };
    await catalog.apply(
      [
        ...bases,
        ...[submitted(1), indexed(1, [1]), submitted(2), submitted(3), failed(3), submitted(4, { scope: vectorScope('team:red') })],
        ...[submitted(5, { knowledgeBase: other }), submitted(6, { tenant: OTHER })],
      ],
      aCatalogPosition(1),
    );
    expect(await catalog.deletingKnowledgeBases()).toEqual([]);
    await catalog.apply([{ change: 'knowledge-base-deleting', ...of }], aCatalogPosition(2));
    expect(await catalog.knowledgeBase(scopes, handbook)).toMatchObject({ status: 'deleting', documents: 4 });
    expect(await catalog.deletingKnowledgeBases()).toEqual([of]);
    expect(await catalog.documentsIn(ACME, handbook, 9)).toEqual([1, 2, 3, 4].map(aDocumentId));
    expect(await catalog.documentsIn(ACME, handbook, 2, aDocumentId(1))).toEqual([2, 3].map(aDocumentId));
    await catalog.apply(
      [1, 2, 3, 4].map((number) => deleted(number)),
      aCatalogPosition(3),
    );
    expect(await catalog.documentsIn(ACME, handbook, 9)).toEqual([]);
    await catalog.apply([{ change: 'knowledge-base-deleted', ...of }], aCatalogPosition(4));
    expect(await catalog.deletingKnowledgeBases()).toEqual([]);
    expect((await catalog.knowledgeBases(scopes)).map(({ id }) => id)).toEqual([other]);
    expect(await catalog.use(ACME)).toMatchObject({ documents: 1, knowledgeBases: 1 });
    expect(await catalog.use(OTHER)).toMatchObject({ documents: 1, knowledgeBases: 1 });
  });

  it('returns the language that a knowledge base declares, if any', async () => {
    const { catalog } = current();
    const languages = async () => [
      (await catalog.knowledgeBase(scopes, handbook))?.language,
      (await catalog.knowledgeBases(scopes)).map(({ language }) => language),
    ];
    const configure = (language?: string) => ({
      change: 'knowledge-base-configured' as const,
      tenant: ACME,
      id: handbook,
      settings: { ...settings(), ...(language === undefined ? {} : { language }) },
    });
    await catalog.apply([knowledgeBaseCreated({ settings: { ...settings(), language: 'de' } })], aCatalogPosition(1));
    expect(await languages()).toEqual(['de', ['de']]);
    await catalog.apply([configure('fr-CA')], aCatalogPosition(2));
    expect(await languages()).toEqual(['fr-CA', ['fr-CA']]);
    await catalog.apply([configure()], aCatalogPosition(3));
    expect(await languages()).toEqual([undefined, [undefined]]);
  });

  it('returns the strategy of a knowledge base, which survives other settings', async () => {
    const { catalog } = current();
    const [plain, strategy] = [
      knowledgeBaseId('plain'),
      { strategy: 'DenseSparseRerank', reranker: { version: 'fake:1', weight: 0.5, candidates: 30 } } as const,
    ];
    const set = { change: 'knowledge-base-strategy' as const, tenant: ACME, id: handbook };
    await catalog.apply([knowledgeBaseCreated(), knowledgeBaseCreated({ id: plain }), { ...set, strategy }], aCatalogPosition(1));
    await catalog.apply([{ change: 'knowledge-base-configured', tenant: ACME, id: handbook, settings: settings() }], aCatalogPosition(2));
    expect(await catalog.declaredFields(scopes)).toEqual([{ id: handbook, strategy }, { id: plain }]);
    expect((await catalog.knowledgeBase(scopes, handbook))?.strategy).toEqual(strategy);
    expect(await catalog.knowledgeBase(scopes, plain)).not.toHaveProperty('strategy');
    await catalog.apply([{ ...set, strategy: { strategy: 'DenseOnly' } }], aCatalogPosition(3));
    expect((await catalog.knowledgeBases(scopes)).map((base) => base.strategy)).toEqual([{ strategy: 'DenseOnly' }, undefined]);
  });

  it('returns the fields that the knowledge bases of these scopes declare', async () => {
    const { catalog } = current();
    const [secret, plain] = [knowledgeBaseId('secret'), knowledgeBaseId('plain')];
    const first = { 'label.year': 'number' } as const;
    await catalog.apply(
      [
        knowledgeBaseCreated({ settings: { ...settings(), fields: first } }),
        knowledgeBaseCreated({ id: plain }),
        knowledgeBaseCreated({ id: secret, scope: vectorScope('team:red'), settings: { ...settings(), fields: first } }),
        knowledgeBaseCreated({ id: secret, tenant: OTHER, settings: { ...settings(), fields: first } }),
      ],
      aCatalogPosition(1),
    );
    expect(await catalog.declaredFields(scopes)).toEqual([{ id: handbook, fields: first }, { id: plain }]);
    expect((await catalog.knowledgeBase(scopes, handbook))?.fields).toEqual(first);
    const second = { 'label.due': 'date', 'meta.draft': 'boolean' } as const;
    const configured = { change: 'knowledge-base-configured' as const, tenant: ACME, id: handbook };
    await catalog.apply([{ ...configured, settings: { ...settings(), fields: second } }], aCatalogPosition(2));
    expect(await catalog.declaredFields(scopes)).toEqual([{ id: handbook, fields: second }, { id: plain }]);
    await catalog.apply([{ ...configured, settings: settings() }], aCatalogPosition(3));
    expect(await catalog.declaredFields(scopes)).toEqual([{ id: handbook }, { id: plain }]);
  });

  it('returns the synonyms of the knowledge bases of these scopes', async () => {
    const { catalog } = current();
    const [secret, plain] = [knowledgeBaseId('secret'), knowledgeBaseId('plain')];
    const first = ['sso, single sign-on', 'k8s => kubernetes'];
    const withSynonyms = { settings: { ...settings(), synonyms: first } };
    await catalog.apply(
      [
        knowledgeBaseCreated(withSynonyms),
        knowledgeBaseCreated({ id: plain }),
        knowledgeBaseCreated({ ...withSynonyms, id: secret, scope: vectorScope('team:red') }),
        knowledgeBaseCreated({ ...withSynonyms, id: secret, tenant: OTHER }),
      ],
      aCatalogPosition(1),
    );
    const { scope } = (await catalog.knowledgeBase(scopes, handbook)) ?? {};
    expect(await catalog.synonyms(scopes)).toEqual([{ id: handbook, scope, synonyms: first }]);
    expect((await catalog.knowledgeBase(scopes, handbook))?.synonyms).toEqual(first);
    const configured = { change: 'knowledge-base-configured' as const, tenant: ACME, id: handbook };
    await catalog.apply([{ ...configured, settings: { ...settings(), synonyms: ['a, b'] } }], aCatalogPosition(2));
    expect(await catalog.synonyms(scopes)).toEqual([{ id: handbook, scope, synonyms: ['a, b'] }]);
    await catalog.apply([{ ...configured, settings: settings() }], aCatalogPosition(3));
    expect(await catalog.synonyms(scopes)).toEqual([]);
    expect(await catalog.knowledgeBase(scopes, handbook)).not.toHaveProperty('synonyms');
  });

  it('counts documents by state, and chunks, for one tenant or all', async () => {
    const { catalog } = current();
    await catalog.apply(
      [
        submitted(1),
        indexed(1, [1, 2]),
        submitted(2),
        failed(2),
        submitted(3),
        processing(3),
        submitted(4),
        submitted(5, { tenant: OTHER }),
        indexed(5, [5], { tenant: OTHER }),
      ],
      aCatalogPosition(1),
    );
    expect(await catalog.documentCounts(ACME)).toEqual({ pending: 1, processing: 1, indexed: 1, failed: 1, total: 4, held: 0 });
    expect(await catalog.documentCounts()).toEqual({ pending: 1, processing: 1, indexed: 2, failed: 1, total: 5, held: 0 });
    expect([await catalog.chunkCount(ACME), await catalog.chunkCount(OTHER), await catalog.chunkCount()]).toEqual([2, 1, 3]);
  });

  it('counts waiting documents of a paused knowledge base as held, until it is resumed', async () => {
    const { catalog } = current();
    const other = { tenant: OTHER, knowledgeBase: handbook };
    await catalog.apply(
      [
        knowledgeBaseCreated(),
        knowledgeBaseCreated({ id: knowledgeBaseId('other') }),
        knowledgeBaseCreated({ tenant: OTHER }),
        submitted(1),
        submitted(2),
        processing(2),
        submitted(3),
        indexed(3, [3]),
        submitted(4),
        failed(4),
        submitted(5, { knowledgeBase: knowledgeBaseId('other') }),
        submitted(6, other),
        { change: 'knowledge-base-paused', tenant: ACME, id: handbook },
      ],
      aCatalogPosition(1),
    );
    expect(await catalog.knowledgeBase(scopes, handbook)).toMatchObject({ status: 'paused', documents: 4 });
    expect([
      (await catalog.documentCounts()).held,
      (await catalog.documentCounts(ACME)).held,
      (await catalog.documentCounts(OTHER)).held,
    ]).toEqual([2, 2, 0]);
    expect(await catalog.countDocuments(scopes, {})).toBe(5);
    expect(await catalog.countDocuments(scopes, { status: 'failed' })).toBe(1);
    expect((await catalog.countsIn(scopes)).documents).toEqual({ pending: 2, processing: 1, indexed: 1, failed: 1, total: 5, held: 2 });
    await catalog.apply([{ change: 'knowledge-base-resumed', tenant: ACME, id: handbook }], aCatalogPosition(2));
    expect(await catalog.knowledgeBase(scopes, handbook)).toMatchObject({ status: 'active' });
    expect((await catalog.documentCounts()).held).toBe(0);
  });

  it('counts documents and chunks only in permitted scopes', async () => {
    const { catalog } = current();
    const red = vectorScope('team:red');
    await catalog.apply(
      [
        submitted(1),
        indexed(1, [1, 2]),
        submitted(2),
        submitted(3, { scope: red }),
        indexed(3, [3], { scope: red }),
        submitted(4, { tenant: OTHER }),
        indexed(4, [4], { tenant: OTHER }),
      ],
      aCatalogPosition(1),
    );
    const none = { pending: 0, processing: 0, indexed: 0, failed: 0, total: 0, held: 0 };
    expect(await catalog.countsIn(scopes)).toEqual({ documents: { ...none, pending: 1, indexed: 1, total: 2 }, chunks: 2 });
    expect(await catalog.countsIn(permitted(['deployment', 'team:red']))).toEqual({
      documents: { ...none, pending: 1, indexed: 2, total: 3 },
      chunks: 3,
    });
    expect(await catalog.countsIn(permitted(['team:blue']))).toEqual({ documents: none, chunks: 0 });
    expect(await catalog.countsIn([])).toEqual({ documents: none, chunks: 0 });
  });

  it('returns the usage of a tenant over all its scopes, after additions, changes and deletions', async () => {
    const { catalog } = current();
    const red = vectorScope('team:red');
    await catalog.apply(
      [
        knowledgeBaseCreated(),
        knowledgeBaseCreated({ id: knowledgeBaseId('other') }),
        knowledgeBaseCreated({ tenant: OTHER }),
        submitted(1, { bytes: 10 }),
        indexed(1, [1, 2]),
        submitted(2, { bytes: 20, scope: red }),
        submitted(3, { bytes: 30 }),
        failed(3),
        submitted(4, { tenant: OTHER, bytes: 1_000 }),
        indexed(4, [4], { tenant: OTHER }),
      ],
      aCatalogPosition(1),
    );
    expect(await catalog.use(ACME)).toEqual({ documents: 3, chunks: 2, bytes: 60, knowledgeBases: 2 });
    expect(await catalog.use(OTHER)).toEqual({ documents: 1, chunks: 1, bytes: 1_000, knowledgeBases: 1 });
    await catalog.apply(
      [
        submitted(1, { version: 2, bytes: 5 }),
        indexed(1, [1, 5, 6], { version: 2 }),
        submitted(2, { version: 2, bytes: 25, scope: red }),
        deleted(3),
        { change: 'knowledge-base-archived', tenant: ACME, id: knowledgeBaseId('other') },
      ],
      aCatalogPosition(2),
    );
    expect(await catalog.use(ACME)).toEqual({ documents: 2, chunks: 3, bytes: 30, knowledgeBases: 1 });
    expect(await catalog.documentSize(ACME, aDocumentId(1))).toEqual({ bytes: 5, chunks: 3 });
    expect([await catalog.documentSize(ACME, aDocumentId(3)), await catalog.documentSize(ACME, aDocumentId(4))]).toEqual([
      undefined,
      undefined,
    ]);
    await catalog.apply([deleted(1), deleted(2), deleted(4)], aCatalogPosition(3));
    expect(await catalog.use(ACME)).toEqual({ documents: 0, chunks: 0, bytes: 0, knowledgeBases: 1 });
    expect(await catalog.use(OTHER)).toMatchObject({ documents: 1 });
  });

  it('lists the waiting documents of a knowledge base for workers, in submission order, each once', async () => {
    const { catalog } = current();
    await catalog.apply(
      [
        submitted(1, { at: at(5) }),
        submitted(2, { at: at(4) }),
        submitted(3, { at: at(4) }),
        processing(3),
        submitted(4),
        indexed(4, [4]),
        submitted(5),
        failed(5),
        submitted(6, { knowledgeBase: knowledgeBaseId('other') }),
        submitted(7, { tenant: OTHER }),
        submitted(8, { at: at(6), scope: vectorScope('team:red') }),
        submitted(8, { at: at(7), version: 2, scope: vectorScope('team:red') }),
      ],
      aCatalogPosition(1),
    );
    const all = await catalog.waitingDocuments(ACME, handbook, 9);
    expect(all.map(({ documentId, version, scope }) => [documentId, version, scope])).toEqual([
      [aDocumentId(2), 1, 'deployment'],
      [aDocumentId(3), 1, 'deployment'],
      [aDocumentId(1), 1, 'deployment'],
      [aDocumentId(8), 2, 'team:red'],
    ]);
    const walked = [];
    for (let after; ;) {
      const [one] = await catalog.waitingDocuments(ACME, handbook, 1, after);
      if (!one) break;
      walked.push(one);
      after = one;
    }
    expect(walked).toEqual(all);
  });

  it('lists the indexed documents of a scope for workers, in id order, and the hashes of their chunks', async () => {
    const { catalog } = current();
    const numbers = [5, 3, 1, 4];
    await catalog.apply([...numbers.flatMap((n) => [submitted(n), indexed(n, [n, n + 10])]), submitted(2)], aCatalogPosition(1));
    expect(await catalog.indexedDocuments(scopeOf(), 9)).toEqual([1, 3, 4, 5].map(aDocumentId));
    expect(await catalog.indexedDocuments(scopeOf(), 2)).toEqual([1, 3].map(aDocumentId));
    expect(await catalog.indexedDocuments(scopeOf(), 2, aDocumentId(3))).toEqual([4, 5].map(aDocumentId));
    expect(await catalog.indexedDocuments(scopeOf(), 2, aDocumentId(5))).toEqual([]);
    await catalog.apply([indexed(3, [3, 13], { version: 1, language: 'und' })], aCatalogPosition(2));
    expect(await catalog.indexedDocuments(scopeOf(), 9, undefined, { knowledgeBase: handbook, language: 'und' })).toEqual([aDocumentId(3)]);
    expect(await catalog.indexedDocuments(scopeOf(), 9, aDocumentId(3), { knowledgeBase: handbook, language: 'en' })).toEqual(
      [4, 5].map(aDocumentId),
    );
    expect(await catalog.indexedDocuments(scopeOf(), 9, undefined, { knowledgeBase: knowledgeBaseId('none'), language: 'en' })).toEqual([]);
    expect((await collect(catalog.contentHashes(scopeOf()))).map(({ chunkId }) => chunkId)).toEqual(
      [...numbers, ...numbers.map((n) => n + 10)].map(aChunkId).sort(),
    );
  });
};
