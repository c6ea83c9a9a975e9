import { ahead, nextTurn, type Scheduler } from '@palimpsest/foundation';
import { partitionKey, type CatalogRowName, type IndexPartition } from '@palimpsest/knowledge/read-models';
import { chunkListOf, scopeKey, type ChunkId, type DocumentId, type Position } from '@palimpsest/knowledge/values';
import { applyAt } from '../apply-at.ts';
import { DeclaredLanguages } from '../declared-languages.ts';
import { readContents } from '../document-contents.ts';
import { IndexWrites, isPut, isRemoval, toLexical, toVectors, type ChunkWrite } from '../index-writes.ts';
import { ProjectionSteps } from '../projection-step.ts';
import { ScopeGenerations } from '../scope-generations.ts';
import { Tombstones } from '../tombstones.ts';
import type { LogView } from '../views/log-view.ts';
import { partitionsOf } from '../views/view-at.ts';
import type { VerifiableStores } from './compare-read-models.ts';
import type { Difference } from './difference.ts';

type IndexName = 'vectors' | 'lexical';

/** Documents that are read from the log at the same time. */
const READ_AHEAD = 4;
/** Chunks that are written together. */
const WRITTEN_TOGETHER = 256;
/** Rows of the catalog that are written in one transaction. */
const ROWS_TOGETHER = 500;

/** The entries of one partition that differ, by index. */
type Suspects = Readonly<{ partition: IndexPartition; vectors: ReadonlySet<ChunkId>; lexical: ReadonlySet<ChunkId> }>;

/**
 * Makes the stored entries and rows that differ equal to a view of the log, and touches no others. It reads only the streams of their
 * documents, and calls no model. Call it while nothing is projected and the view is at that position. It asks the view again what is
 * right, so a difference that newer facts removed meanwhile does no harm, and after a kill the next repair does the rest.
 */
export class WriteDifferences {
  readonly #stores: VerifiableStores;
  readonly #scheduler: Scheduler;

  constructor(stores: VerifiableStores, scheduler: Scheduler) {
    this.#stores = stores;
    this.#scheduler = scheduler;
  }

  /** In the order of a projection: additions, then the catalog, which makes them visible, then removals. Durable when it resolves. */
  async write(view: LogView, differences: readonly Difference[], rows: readonly CatalogRowName[]): Promise<void> {
    const { journal, catalog, vectors, lexical, shared } = this.#stores;
    const suspects = suspectsIn(differences);
    for (const each of suspects) await this.#put(view, each);
    for (let i = 0; i < rows.length; i += ROWS_TOGETHER) {
      await catalog.replaceRows(rows.slice(i, i + ROWS_TOGETHER), view.catalog);
      await nextTurn(this.#scheduler);
    }
    const known = new Set((await partitionsOf(view)).map(partitionKey));
    for (const each of suspects) await this.#remove(view, each, known.has(partitionKey(each.partition)));
    await shared?.removeAgain(view.position, await journal.log.head(), wasPut(view, suspects));
    await Promise.all([vectors.flush(), lexical.flush()]);
    await catalog.purge?.();
  }

  async #put(view: LogView, suspects: Suspects): Promise<void> {
    const { partition } = suspects;
    const wanted = (name: IndexName): ReadonlySet<ChunkId> =>
      new Set([...suspects[name]].filter((chunkId) => view[name].entries(partition).has(chunkId)));
    const ids = { vectors: wanted('vectors'), lexical: wanted('lexical') };
    for await (const writes of this.#putsOf(view, partition, [...new Set([...ids.vectors, ...ids.lexical])]))
      for (const name of ['vectors', 'lexical'] as const)
        await this.#apply(
          name,
          partition,
          writes.filter(({ chunkId }) => ids[name].has(chunkId)),
          view.position,
        );
  }

  /** The puts of chunks, from the streams of their documents. */
  async *#putsOf(view: LogView, partition: IndexPartition, ids: readonly ChunkId[]): AsyncGenerator<readonly ChunkWrite[]> {
    const { scope, generation } = partition;
    const list = await listOf(view, partition);
    if (list === undefined || ids.length === 0) return;
    const { journal } = this.#stores;
    const byDocument = new Map<DocumentId, ChunkId[]>();
    for (const [chunkId, document] of await view.catalog.documentsOf(scope, list, ids))
      byDocument.set(document, [...(byDocument.get(document) ?? []), chunkId]);
    const steps = await this.#steps(view);
    const read = async ([id, chunks]: readonly [DocumentId, readonly ChunkId[]]) => ({
      chunks,
      contents: await readContents(journal, scope.tenant, id, view.position),
    });
    let writes = new IndexWrites();
    for await (const { chunks, contents } of ahead(byDocument, READ_AHEAD, read)) {
      const indexed = contents.indexed.get(list);
      if (indexed) await steps.put(scope, contents, { indexed, at: view.position }, chunks, writes, { generation });
      if (writes.size < WRITTEN_TOGETHER) continue;
      yield allOf(writes);
      writes = new IndexWrites();
      await nextTurn(this.#scheduler);
    }
    yield allOf(writes);
  }

  async #steps({ catalog, vectors, lexical }: LogView): Promise<ProjectionSteps> {
    const { journal, keys } = this.#stores;
    const generations = new ScopeGenerations();
    await generations.load(catalog);
    return new ProjectionSteps({ journal, keys, catalog, vectors, lexical }, generations, new Tombstones(), new DeclaredLanguages(journal));
  }

  /** Of a partition that is not on the log, or is retired, everything. */
  async #remove(view: LogView, suspects: Suspects, isKnown: boolean): Promise<void> {
    const { partition } = suspects;
    for (const name of ['vectors', 'lexical'] as const) {
      if (suspects[name].size === 0) continue;
      if (!isKnown && !this.#isShared(name)) {
        await this.#stores[name].drop(partition);
        continue;
      }
      const extra = [...suspects[name]].filter((chunkId) => !view[name].entries(partition).has(chunkId));
      await this.#apply(
        name,
        partition,
        extra.map((chunkId) => ({ write: 'remove', chunkId, at: view.position })),
        view.position,
      );
    }
  }

  async #apply(name: IndexName, partition: IndexPartition, writes: readonly ChunkWrite[], at: Position): Promise<void> {
    if (writes.length === 0) return;
    const { vectors, lexical, shared } = this.#stores;
    if (this.#isShared(name)) await shared?.repair(name, partition, writes.filter(isPut), writes.filter(isRemoval));
    else if (name === 'vectors') await applyAt(vectors, partition, () => writes.flatMap(toVectors), at);
    else await applyAt(lexical, partition, () => writes.map(toLexical), at);
  }

  #isShared(name: IndexName): boolean {
    const { shared } = this.#stores;
    return shared !== undefined && (name === 'vectors' || shared.sharesLexical);
  }
}

const suspectsIn = (differences: readonly Difference[]): readonly Suspects[] => {
  const found = new Map<string, { partition: IndexPartition; vectors: Set<ChunkId>; lexical: Set<ChunkId> }>();
  for (const { store, chunkId, tenant, scope, generation } of differences) {
    if (store === 'catalog' || chunkId === undefined || generation === undefined) continue;
    const partition = { scope: { tenant, scope }, generation } as IndexPartition;
    const key = partitionKey(partition);
    const suspects = found.get(key) ?? { partition, vectors: new Set(), lexical: new Set() };
    found.set(key, suspects);
    suspects[store].add(chunkId);
  }
  return [...found.values()];
};

/** Whether a repair from this view puts the chunk into one of the indexes. */
const wasPut = (view: LogView, suspects: readonly Suspects[]) => {
  const byPartition = new Map(suspects.map((each) => [partitionKey(each.partition), each]));
  return (partition: IndexPartition, chunkId: ChunkId): boolean => {
    const found = byPartition.get(partitionKey(partition));
    return (['vectors', 'lexical'] as const).some((name) => found?.[name].has(chunkId) && view[name].entries(partition).has(chunkId));
  };
};

/** The chunk list that the generation of a partition has. */
const listOf = async ({ catalog }: LogView, { scope, generation }: IndexPartition) => {
  const found = (await catalog.scopes(scope.tenant)).find((one) => scopeKey(one.scope) === scopeKey(scope));
  const recipe = found?.generations.find(({ id }) => id === generation)?.recipe;
  return recipe && chunkListOf(recipe.chunking);
};

const allOf = (writes: IndexWrites): readonly ChunkWrite[] => writes.partitions().flatMap((each) => each.writes);
