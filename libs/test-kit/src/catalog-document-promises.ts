import { expect, it } from '@jest/globals';
import { knowledgeBaseId, vectorScope } from '@palimpsest/knowledge/values';
import { collect } from './event-log-fixture.ts';
import {
  aCatalogPosition,
  ACME,
  aChunkId,
  aContent,
  aDocumentId,
  aHash,
  at,
  deleted,
  embedding,
  failed,
  generationActivated,
  generationStarted,
  indexed,
  permitted,
  place,
  processing,
  scopeOf,
  submitted,
  OTHER,
  type CatalogUnderTest,
} from './catalog-fixture.ts';

const scopes = permitted(['deployment']);

/** The contract of the catalog for the life of one document. */
export const documentPromises = (current: () => CatalogUnderTest): void => {
  /** Each call gets the next position. */
  const applyAll = async (
    ...calls: readonly Parameters<CatalogUnderTest['catalog']['apply']>[0][]
  ): Promise<CatalogUnderTest['catalog']> => {
    const { catalog } = current();
    for (const changes of calls) await catalog.apply(changes, aCatalogPosition(Number(await catalog.position()) + 1));
    return catalog;
  };
  const numbersOf = async (number: number): Promise<readonly string[]> =>
    (await current().catalog.chunksOf(scopes, aDocumentId(number), { limit: 99 })).items.map(({ chunkId }) => chunkId);
  const ids = (...numbers: number[]) => numbers.map(aChunkId);

  it('tracks a document from its submission until it is indexed', async () => {
    const catalog = await applyAll([submitted(1, { labels: { team: 'red' } })]);
    const pending = {
      documentId: aDocumentId(1),
      tenant: ACME,
      scope: 'deployment',
      knowledgeBase: 'handbook',
      sourceId: 'doc-1.md',
      title: 'Document 1',
      status: 'pending',
      version: 1,
      mediaType: 'text/plain',
      bytes: 100,
      chunks: 0,
      failedChunks: 0,
      withoutVector: 0,
      language: 'und',
      labels: { team: 'red' },
      origin: 'UserContent',
      warnings: [],
      submittedAt: at(1),
    };
    expect(await catalog.document(scopes, aDocumentId(1))).toEqual(pending);
    await applyAll([processing(1)]);
    expect(await catalog.document(scopes, aDocumentId(1))).toEqual({ ...pending, status: 'processing' });
    await applyAll([indexed(1, [1, 2], { title: 'From the text', failedChunks: 1, warnings: ['one image'], labels: { team: 'red' } })]);
    expect(await catalog.document(scopes, aDocumentId(1))).toEqual({
      ...pending,
      status: 'indexed',
      indexedVersion: 1,
      title: 'From the text',
      mediaType: 'text/markdown',
      language: 'en',
      chunks: 2,
      failedChunks: 1,
      warnings: ['one image'],
      indexedAt: at(3),
    });
  });

  it('shows the indexed version unchanged while the next one is submitted, processed, and fails', async () => {
    const catalog = await applyAll([submitted(1), indexed(1, [1, 2], { labels: { a: 'old' } })]);
    const before = await catalog.chunks(scopes, ids(1, 2));
    expect(before).toHaveLength(2);
    await applyAll(
      [submitted(1, { version: 2, title: 'New', labels: { a: 'new' }, checksum: aHash(2) })],
      [processing(1, 2)],
      [failed(1, { version: 2 })],
    );
    expect(await catalog.chunks(scopes, ids(1, 2))).toEqual(before);
    expect(await catalog.document(scopes, aDocumentId(1))).toMatchObject({
      status: 'failed',
      version: 2,
      indexedVersion: 1,
      chunks: 2,
      reason: 'corrupt',
      detail: 'It cannot be read.',
    });
    await applyAll([submitted(1, { version: 3 })]);
    expect(await catalog.document(scopes, aDocumentId(1))).not.toHaveProperty('reason');
  });

  it('lists the versions with the outcome of each', async () => {
    const catalog = await applyAll(
      [submitted(1), indexed(1, [1])],
      [
        submitted(1, { version: 2, at: at(4), checksum: aHash(2), bytes: 7 }),
        failed(1, { version: 2, at: at(5) }),
        submitted(1, { version: 3, at: at(6) }),
      ],
    );
    expect(await catalog.versions(scopes, aDocumentId(1))).toEqual([
      { version: 1, status: 'indexed', submittedAt: at(1), finishedAt: at(3), checksum: aHash(1), bytes: 100, chunks: 1 },
      { version: 2, status: 'failed', submittedAt: at(4), finishedAt: at(5), checksum: aHash(2), bytes: 7, reason: 'corrupt' },
      { version: 3, status: 'pending', submittedAt: at(6), checksum: aHash(1), bytes: 100 },
    ]);
  });

  it('counts the chunks of a document that the model of the active generation refused, as long as they are indexed and have no vector', async () => {
    const catalog = await applyAll(
      [
        generationStarted(1),
        generationActivated(1),
        submitted(1),
        indexed(1, [1, 2], { failedChunks: 3 }),
        submitted(2),
        indexed(2, [3]),
        generationStarted(2),
      ],
      [
        embedding('chunk-refused', { document: 1, chunk: 1, model: 2 }),
        embedding('chunk-refused', { document: 1, chunk: 1, model: 2 }),
        embedding('chunk-refused', { document: 1, chunk: 2, model: 2 }),
      ],
    );
    const counted = async () => [
      (await catalog.document(scopes, aDocumentId(1)))?.withoutVector,
      (await catalog.documents(scopes, { limit: 9 })).items.map(({ withoutVector }) => withoutVector),
      await catalog.refusedChunks(ACME),
    ];
    const none = [0, [0, 0], { failedChunks: 3, withoutVector: 0 }];
    expect(await counted()).toEqual(none);
    await applyAll([generationActivated(2)]);
    expect(await counted()).toEqual([2, [2, 0], { failedChunks: 3, withoutVector: 2 }]);
    expect(await catalog.refusedChunks()).toEqual({ failedChunks: 3, withoutVector: 2 });
    expect(await catalog.refusedChunks(OTHER)).toEqual({ failedChunks: 0, withoutVector: 0 });
    await applyAll([indexed(1, [1], { version: 2, failedChunks: 3 })]);
    expect(await counted()).toEqual([1, [1, 0], { failedChunks: 3, withoutVector: 1 }]);
    await applyAll(
      [indexed(1, [1, 2], { version: 3, failedChunks: 3 })],
      [embedding('chunk-embedded', { document: 1, chunk: 1, model: 2 })],
    );
    expect(await counted()).toEqual([1, [1, 0], { failedChunks: 3, withoutVector: 1 }]);
    await applyAll([generationActivated(1)]);
    expect(await counted()).toEqual(none);
    await applyAll([generationActivated(2)], [deleted(1)]);
    expect(await catalog.refusedChunks()).toEqual({ failedChunks: 0, withoutVector: 0 });
    await applyAll([submitted(1, { version: 4 }), indexed(1, [1, 2], { version: 4 })]);
    expect(await counted()).toEqual([0, [0, 0], { failedChunks: 0, withoutVector: 0 }]);
  });

  it('forgets earlier versions with the history of a document, and refusals of chunks that are not indexed', async () => {
    const catalog = await applyAll(
      [generationStarted(1), generationActivated(1), submitted(1), indexed(1, [1, 2])],
      [embedding('chunk-refused', { document: 1, chunk: 1, model: 1 }), embedding('chunk-refused', { document: 1, chunk: 2, model: 1 })],
      [submitted(1, { version: 2 }), indexed(1, [1], { version: 2 })],
      [{ change: 'history-removed', tenant: ACME, documentId: aDocumentId(1), version: 2 }],
    );
    expect((await catalog.versions(scopes, aDocumentId(1))).map(({ version }) => version)).toEqual([2]);
    await applyAll([submitted(1, { version: 3 }), indexed(1, [1, 2], { version: 3 })]);
    expect((await catalog.document(scopes, aDocumentId(1)))?.withoutVector).toBe(1);
  });

  it('counts the visible chunks and their documents by scope, knowledge base and language', async () => {
    const catalog = await applyAll([
      submitted(1),
      indexed(1, [1, 2]),
      submitted(2),
      indexed(2, [3], { language: 'de' }),
      submitted(3, { knowledgeBase: knowledgeBaseId('notes') }),
      indexed(3, [4], { language: 'und' }),
      submitted(4),
      submitted(5, { scope: vectorScope('team:red') }),
      indexed(5, [5], { scope: vectorScope('team:red'), language: 'fr' }),
      submitted(6),
      indexed(6, [6]),
      deleted(6),
    ]);
    const counted = async (scope: string) =>
      [...(await catalog.languages({ tenant: ACME, scope: vectorScope(scope) }))].sort((a, b) => (a.language < b.language ? -1 : 1));
    expect(await counted('deployment')).toEqual([
      { knowledgeBase: 'handbook', language: 'de', documents: 1, chunks: 1 },
      { knowledgeBase: 'handbook', language: 'en', documents: 1, chunks: 2 },
      { knowledgeBase: 'notes', language: 'und', documents: 1, chunks: 1 },
    ]);
    expect(await counted('team:red')).toEqual([{ knowledgeBase: 'handbook', language: 'fr', documents: 1, chunks: 1 }]);
    expect(await counted('team:blue')).toEqual([]);
  });

  it('reports what a document waits for, counts it as held, and lists it for workers until it is processed', async () => {
    const deferred = {
      change: 'document-deferred' as const,
      tenant: ACME,
      documentId: aDocumentId(1),
      version: 1,
      reason: 'waiting-for-model',
      detail: 'It waits.',
      at: at(9),
    };
    const catalog = await applyAll([submitted(1), submitted(2)], [processing(1)], [deferred]);
    expect(await catalog.document(scopes, aDocumentId(1))).toMatchObject({
      status: 'pending',
      reason: 'waiting-for-model',
      detail: 'It waits.',
    });
    expect(await catalog.documentCounts()).toMatchObject({ pending: 2, processing: 0, held: 1 });
    expect((await catalog.countsIn(scopes)).documents).toMatchObject({ pending: 2, held: 1 });
    const scope = { tenant: ACME, scope: scopeOf('deployment').scope };
    expect(await catalog.deferredDocuments(scope, 9)).toEqual([{ documentId: aDocumentId(1), version: 1, deferredAt: at(9) }]);
    await applyAll([processing(1)]);
    expect(await catalog.deferredDocuments(scope, 9)).toEqual([]);
    expect(await catalog.document(scopes, aDocumentId(1))).not.toHaveProperty('reason');
    expect(await catalog.documentCounts()).toMatchObject({ pending: 1, processing: 1, held: 0 });
  });

  it('does not change the state of the latest version after events of an older one', async () => {
    const catalog = await applyAll([submitted(1), submitted(1, { version: 2 })], [processing(1, 1)], [failed(1, { version: 1 })]);
    expect(await catalog.document(scopes, aDocumentId(1))).toMatchObject({ status: 'pending', version: 2 });
    expect((await catalog.versions(scopes, aDocumentId(1))).map(({ status }) => status)).toEqual(['failed', 'pending']);
  });

  it('shows a chunk with the data of its document', async () => {
    const labels = { team: 'red' };
    const catalog = await applyAll([
      submitted(1),
      indexed(1, [], {
        version: 1,
        title: 'Guide',
        labels,
        origin: 'Note',
        chunks: [{ ...place(7), page: 3 }],
        contents: [aContent(7, { language: 'de', symbol: 'main' })],
      }),
    ]);
    const shown = {
      chunkId: aChunkId(7),
      documentId: aDocumentId(1),
      index: 0,
      of: 1,
      start: 0,
      end: 10,
      fromLine: 1,
      toLine: 2,
      page: 3,
      contentHash: aHash(7),
      sealedText: Uint8Array.of(7, 1, 2),
      language: 'de',
      symbol: 'main',
      scope: 'deployment',
      knowledgeBase: 'handbook',
      sourceId: 'doc-1.md',
      title: 'Guide',
      labels,
      origin: 'Note',
      version: 1,
      indexedAt: at(3),
    };
    const [found] = await catalog.chunks(scopes, ids(7));
    expect({ ...found, sealedText: new Uint8Array(found?.sealedText ?? []) }).toEqual(shown);
    const [listed] = (await catalog.chunksOf(scopes, aDocumentId(1), { limit: 1 })).items;
    expect({ ...listed, sealedText: new Uint8Array(listed?.sealedText ?? []) }).toEqual(shown);
  });

  it('replaces the chunks of a version atomically: some move, some are removed, some are added', async () => {
    const catalog = await applyAll([submitted(1), indexed(1, [1, 2, 3])], [submitted(1, { version: 2 })]);
    await applyAll([indexed(1, [], { version: 2, chunks: [place(4, 0), place(3, 20), place(1, 40)], contents: [aContent(4)] })]);
    expect(await numbersOf(1)).toEqual(ids(4, 3, 1));
    expect((await catalog.chunks(scopes, ids(1, 2, 3, 4))).map(({ chunkId, version, of }) => [chunkId, version, of]).sort()).toEqual(
      ids(1, 3, 4)
        .map((id) => [id, 2, 3])
        .sort(),
    );
    const [moved] = await catalog.chunks(scopes, ids(1));
    expect(moved).toMatchObject({ index: 2, start: 40, contentHash: aHash(1) });
    expect(new Uint8Array(moved?.sealedText ?? [])).toEqual(Uint8Array.of(1, 1, 2));
    expect(await catalog.chunkCount()).toBe(3);
  });

  it('removes the page of a chunk that stays but is no longer on a page', async () => {
    const catalog = await applyAll(
      [submitted(1), indexed(1, [1], { chunks: [{ ...place(1), page: 4 }] })],
      [indexed(1, [1], { version: 2, contents: [] })],
    );
    expect((await catalog.chunks(scopes, ids(1)))[0]).not.toHaveProperty('page');
  });

  it('returns to its first state over versions A, B and A again', async () => {
    const catalog = await applyAll(
      [submitted(1), indexed(1, [1, 2])],
      [indexed(1, [3], { version: 2 })],
      [indexed(1, [1, 2], { version: 3 })],
    );
    expect(await numbersOf(1)).toEqual(ids(1, 2));
    expect(await collect(catalog.contentHashes(scopeOf()))).toEqual([1, 2].map((n) => ({ chunkId: aChunkId(n), contentHash: aHash(n) })));
  });

  it('removes a deleted document with its versions and chunks, and accepts it again', async () => {
    const catalog = await applyAll([submitted(1), indexed(1, [1]), submitted(2), indexed(2, [2])], [deleted(1)]);
    expect(await catalog.document(scopes, aDocumentId(1))).toBeUndefined();
    expect(await catalog.versions(scopes, aDocumentId(1))).toEqual([]);
    expect(await catalog.chunks(scopes, ids(1, 2))).toHaveLength(1);
    expect(await catalog.indexedDocuments(scopeOf(), 9)).toEqual([aDocumentId(2)]);
    await applyAll([submitted(1, { version: 2 })]);
    expect(await catalog.document(scopes, aDocumentId(1))).toMatchObject({ status: 'pending', version: 2, chunks: 0 });
    expect(await catalog.document(scopes, aDocumentId(1))).not.toHaveProperty('indexedVersion');
    expect(await numbersOf(1)).toEqual([]);
  });
};
