import { expect, it } from '@jest/globals';
import { chunkListOf, DEFAULT_CHUNK_LIST, type ChunkListId, type ChunkingRecipe } from '@palimpsest/knowledge/values';
import type { CatalogChange } from '@palimpsest/knowledge/read-models';
import {
  aCatalogPosition,
  aChunkId,
  ACME,
  aDocumentId,
  aGeneration,
  aHash,
  at,
  deleted,
  failed,
  generationActivated,
  generationRetired,
  generationStarted,
  indexed,
  permitted,
  scopeOf,
  submitted,
  type CatalogUnderTest,
} from './catalog-fixture.ts';
import { collect } from './event-log-fixture.ts';

const CHUNKING: ChunkingRecipe = { settings: { markdown: { maxChars: 500 } }, contextual: 'none' };
const OTHER_LIST = chunkListOf(CHUNKING);
const scopes = permitted(['deployment']);

const startedWithOther = (number: number): CatalogChange => {
  const generation = aGeneration(number);
  return { change: 'generation', scope: scopeOf(), generation: { ...generation, recipe: { ...generation.recipe, chunking: CHUNKING } } };
};
const other = (number: number, chunks: readonly number[], part: Parameters<typeof indexed>[2] = {}): CatalogChange =>
  indexed(number, chunks, { chunkList: OTHER_LIST, ...part });
/** A document with chunks 1 and 2 in the active list, and 2 and 3 in another one. */
const BOTH = [
  [generationStarted(1), generationActivated(1), submitted(1), indexed(1, [1, 2])],
  [startedWithOther(2), other(1, [2, 3, 4], { title: 'Other title', at: at(8), warnings: ['kept'] })],
] as const;

/** The contract of the catalog for documents with several chunk lists. */
export const chunkListPromises = (current: () => CatalogUnderTest): void => {
  const applyAll = async (...calls: readonly (readonly CatalogChange[])[]) => {
    const { catalog } = current();
    for (const changes of calls) await catalog.apply(changes, aCatalogPosition(Number(await catalog.position()) + 1));
    return catalog;
  };
  const ids = (...numbers: readonly number[]) => numbers.map(aChunkId);
  /** What callers see, and what a search of the other generation sees. */
  const seen = async (list?: ChunkListId) => {
    const { catalog } = current();
    const document = await catalog.document(scopes, aDocumentId(1));
    const numbers = (found: Iterable<string>) => [...found].map((id) => Number(`0x${id.slice(-1)}`)).sort();
    return {
      shown: [document?.title, document?.chunks, document?.warnings, await catalog.chunkCount(ACME)],
      chunksOf: (await catalog.chunksOf(scopes, aDocumentId(1), { limit: 9 })).items.map(({ chunkId }) => chunkId),
      visible: numbers(await catalog.visible(scopes, ids(1, 2, 3, 4), list)),
      chunks: (await catalog.chunks(scopes, ids(1, 2, 3, 4), list))
        .map(({ chunkId, of, title }) => `${chunkId.slice(-1)} of ${of}, ${title}`)
        .sort(),
      hashes: numbers((await collect(catalog.contentHashes(scopeOf(), list))).map(({ chunkId }) => chunkId)),
      use: (await catalog.use(ACME)).chunks,
    };
  };
  const FIRST = {
    shown: ['Document 1', 2, [], 2],
    chunksOf: ids(1, 2),
    visible: [1, 2],
    chunks: ['1 of 2, Document 1', '2 of 2, Document 1'],
    hashes: [1, 2],
    use: 2,
  };
  const SECOND = {
    shown: ['Other title', 3, ['kept'], 3],
    chunksOf: ids(2, 3, 4),
    visible: [2, 3, 4],
    chunks: ['2 of 3, Other title', '3 of 3, Other title', '4 of 3, Other title'],
    hashes: [2, 3, 4],
    use: 3,
  };

  it('shows the chunk list of the active generation, and the other one to a search that names it', async () => {
    const catalog = await applyAll(...BOTH);
    expect(await seen()).toEqual(FIRST);
    const { visible, chunks, hashes } = SECOND;
    expect(await seen(OTHER_LIST)).toEqual({ ...FIRST, visible, chunks, hashes });
    expect(await seen(DEFAULT_CHUNK_LIST)).toEqual(FIRST);
    const listed = async (list: ChunkListId) => [...(await catalog.listedVersions(scopeOf(), list, [aDocumentId(1), aDocumentId(2)]))];
    expect(await listed(OTHER_LIST)).toEqual([[aDocumentId(1), 1]]);
    await applyAll([submitted(1, { version: 2 }), indexed(1, [1], { version: 2 })]);
    expect([await listed(OTHER_LIST), await listed(DEFAULT_CHUNK_LIST)]).toEqual([[[aDocumentId(1), 1]], [[aDocumentId(1), 2]]]);
  });

  it('returns chunks by their place in the document, in the list that is named', async () => {
    const catalog = await applyAll(...BOTH);
    const between = async (from: number, to: number, list?: ChunkListId) =>
      (await catalog.chunksBetween(scopes, aDocumentId(1), { from, to }, list)).map(({ chunkId, index, of }) => [chunkId, index, of]);
    const [one, two, three, four] = ids(1, 2, 3, 4);
    expect(await between(-1, 9)).toEqual([
      [one, 0, 2],
      [two, 1, 2],
    ]);
    expect(await between(1, 2, OTHER_LIST)).toEqual([
      [three, 1, 3],
      [four, 2, 3],
    ]);
    expect([await between(1, 1), await between(2, 1), await between(-3, -1), await between(2, 9)]).toEqual([[[two, 1, 2]], [], [], []]);
    expect(await catalog.chunksBetween(scopes, aDocumentId(2), { from: 0, to: 9 })).toEqual([]);
  });

  it('exchanges the list of all documents with the active generation, and back', async () => {
    await applyAll(...BOTH, [generationActivated(2)]);
    expect(await seen()).toEqual(SECOND);
    expect(await seen(DEFAULT_CHUNK_LIST)).toMatchObject({ visible: FIRST.visible, chunks: FIRST.chunks });
    await applyAll([generationActivated(1)]);
    expect(await seen()).toEqual(FIRST);
  });

  it('keeps what is said about a version in progress or failed when the list is exchanged, and an earlier version says nothing about it', async () => {
    const catalog = await applyAll(
      ...BOTH,
      [submitted(1, { version: 2, title: 'Second', checksum: aHash(2) }), failed(1, { version: 2 })],
      [generationActivated(2)],
    );
    const state = { status: 'failed', version: 2, indexedVersion: 1, title: 'Second', reason: 'corrupt', chunks: 3 };
    expect(await catalog.document(scopes, aDocumentId(1))).toMatchObject(state);
    await applyAll([other(1, [2, 3])]);
    expect(await catalog.document(scopes, aDocumentId(1))).toMatchObject({ ...state, chunks: 2 });
    expect((await catalog.versions(scopes, aDocumentId(1))).map(({ version, status, chunks }) => [version, status, chunks])).toEqual([
      [1, 'indexed', 2],
      [2, 'failed', undefined],
    ]);
  });

  it('keeps the list of a document that lacks the active one, until that is complete', async () => {
    await applyAll(BOTH[0], [startedWithOther(2), generationActivated(2)]);
    expect(await seen()).toEqual(FIRST);
    await applyAll([other(1, [2, 3, 4], { title: 'Other title', warnings: ['kept'] })]);
    expect(await seen()).toEqual(SECOND);
  });

  it('deletes a list with the last generation that has it', async () => {
    const catalog = await applyAll(...BOTH, [startedWithOther(3), generationRetired(2)]);
    expect((await seen(OTHER_LIST)).hashes).toEqual([2, 3, 4]);
    await applyAll([generationRetired(3)]);
    expect(await seen(OTHER_LIST)).toEqual({ ...FIRST, visible: [], chunks: [], hashes: [] });
    expect((await catalog.listedVersions(scopeOf(), OTHER_LIST, [aDocumentId(1)])).size).toBe(0);
    expect(await seen()).toEqual(FIRST);
  });

  it('deletes all lists with their document', async () => {
    const catalog = await applyAll(...BOTH, [deleted(1)], [submitted(1), indexed(1, [1, 2])]);
    expect((await seen(OTHER_LIST)).hashes).toEqual([]);
    expect((await catalog.listedVersions(scopeOf(), OTHER_LIST, [aDocumentId(1)])).size).toBe(0);
  });

  it('lists the documents that keep the chunks of another list, with the reason, to those who may read them', async () => {
    const catalog = await applyAll(
      BOTH[0],
      [startedWithOther(2), other(1, [1, 2], { notRechunked: 'The upload is lost.' })],
      [submitted(2), indexed(2, [5]), other(2, [6])],
    );
    const [scope] = scopes;
    if (!scope) throw new Error('no scope');
    const kept = { documentId: aDocumentId(1), scope: 'deployment', sourceId: 'doc-1.md', reason: 'The upload is lost.' };
    expect(await catalog.notRechunked(scope, OTHER_LIST, 5)).toEqual({ total: 1, items: [kept] });
    expect(await catalog.notRechunked(scope, OTHER_LIST, 0)).toEqual({ total: 1, items: [] });
    expect(await catalog.notRechunked(scope, DEFAULT_CHUNK_LIST, 5)).toEqual({ total: 0, items: [] });
    const [red] = permitted(['team:red']);
    expect(red && (await catalog.notRechunked(red, OTHER_LIST, 5))).toEqual({ total: 0, items: [] });
    await applyAll([other(1, [1])]);
    expect(await catalog.notRechunked(scope, OTHER_LIST, 5)).toEqual({ total: 0, items: [] });
  });
};
