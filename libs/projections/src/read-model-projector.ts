import { ahead } from '@palimpsest/foundation';
import { chunkListOf } from '@palimpsest/knowledge/values';
import type {
  DocumentIndexed,
  DomainEvent,
  DomainEventType,
  Fact,
  GenerationStarted,
  KnowledgeBaseConfigured,
} from '@palimpsest/knowledge/events';
import type { DocumentHistoryRemoved } from '@palimpsest/knowledge/history';
import type { CatalogChange, LanguageOfBase } from '@palimpsest/knowledge/read-models';
import type { ChunkId, DocumentId, Position, TenantScope } from '@palimpsest/knowledge/values';
import { applyAt } from './apply-at.ts';
import { catalogProjection } from './catalog-projection.ts';
import { changesEarlierFacts } from './changes-earlier-facts.ts';
import { DeclaredLanguages } from './declared-languages.ts';
import { readContents, type DocumentContents } from './document-contents.ts';
import { IndexWrites, isPut, toLexical, toVectors } from './index-writes.ts';
import { catalogContents, ProjectionSteps, type PutOptions, type Step } from './projection-step.ts';
import type { ProjectionTarget } from './read-model-stores.ts';
import { generationProjection, ScopeGenerations, type GenerationEvent } from './scope-generations.ts';
import type { PutSource } from './shared-index-writer.ts';
import { Tombstones } from './tombstones.ts';

/** Documents that are read from the log at the same time. A few: each may have many chunks. */
const READ_AHEAD = 4;
/** Chunks of several documents that are written together. */
const WRITTEN_TOGETHER = 256;

/** Facts with their writes; `step` is missing if a fact changes how others are read. */
export type Prepared = Readonly<{ facts: readonly Fact<DomainEvent>[]; upTo: Position; step?: Step }>;

/**
 * Projects facts into the three read models. For each batch, additions go into the indexes first (not visible yet, since the catalog
 * does not know them), then the catalog changes in one transaction (which makes them visible to searches), then removals go into the
 * indexes. After a kill at any point, the same facts produce the same writes again.
 */
export class ReadModelProjector {
  readonly #stores: ProjectionTarget;
  readonly #generations = new ScopeGenerations();
  readonly #declared: DeclaredLanguages;
  readonly #steps: ProjectionSteps;
  readonly #tombstones: Tombstones;
  #signal: AbortSignal | undefined;

  /** `tombstones`: chunks that later facts remove are not written. */
  constructor(stores: ProjectionTarget, tombstones = new Tombstones()) {
    this.#stores = stores;
    this.#tombstones = tombstones;
    this.#declared = new DeclaredLanguages(stores.journal);
    this.#steps = new ProjectionSteps(stores, this.#generations, tombstones, this.#declared);
  }

  /** The event types that it handles. */
  get handles(): readonly DomainEventType[] {
    return [...new Set([...catalogProjection.handles, ...this.#steps.handles, ...generationProjection.handles])];
  }

  /** Call before the first batch, and after a reset of the catalog. `after`: the position that the first batch follows. */
  async start(after: Position): Promise<void> {
    await this.#generations.loadAsOf(after, this.#stores.catalog, this.#stores.journal);
  }

  /**
   * Computes the writes of facts and lets the lexical index prepare them. Writes nothing, so that earlier facts may still be being
   * written, unless they change how facts are read. The facts are in log order, complete up to `upTo`.
   */
  async prepare(facts: readonly Fact<DomainEvent>[], upTo: Position): Promise<Prepared> {
    if (facts.some(({ event }) => changesEarlierFacts(event))) return { facts, upTo };
    const step = await this.#steps.of(facts, upTo);
    if (!this.#stores.shared)
      for (const { writes } of step.writes.partitions()) this.#stores.lexical?.expect?.(writes.filter(isPut).map((put) => put.lexical()));
    return { facts, upTo, step };
  }

  /** Writes prepared batches; call it sequentially. `signal` ends the wait for other writers of a shared index. */
  async write({ facts, upTo, step }: Prepared, signal?: AbortSignal): Promise<void> {
    this.#signal = signal;
    if (facts.length === 0) return this.#advance(upTo);
    if (step) return this.#commit(step);
    let run: Fact<DomainEvent>[] = [];
    for (const fact of facts) {
      if (!changesEarlierFacts(fact.event)) {
        run.push(fact);
        continue;
      }
      // From here on facts are read differently, so earlier facts are written first.
      const last = run.at(-1);
      if (last) await this.#project(run, last.position);
      run = [];
      if (fact.event.type === 'KnowledgeBaseConfigured') await this.#configured(fact as Fact<KnowledgeBaseConfigured>);
      else if (fact.event.type === 'DocumentHistoryRemoved') await this.#historyRemoved(fact as Fact<DocumentHistoryRemoved>);
      else await this.#scopeChanged(fact as Fact<GenerationEvent>);
    }
    await this.#project(run, upTo);
  }

  /**
   * Records that nothing up to a position concerns the read models. If that fails, for example on a full disk, they are still complete:
   * the position is recorded with the next facts, and a restart before that reads these events again.
   */
  async #advance(upTo: Position): Promise<void> {
    await this.#stores.catalog.apply([], upTo).catch(() => undefined);
  }

  async #project(facts: readonly Fact<DomainEvent>[], upTo: Position): Promise<void> {
    await this.#commit(await this.#steps.of(facts, upTo));
  }

  async #scopeChanged(fact: Fact<GenerationEvent>): Promise<void> {
    const { catalog, vectors, lexical } = this.#stores;
    this.#generations.evolve(fact);
    await catalog.apply(catalogProjection.project(fact, []) ?? [], fact.position);
    const scope = { tenant: fact.metadata.tenant, scope: fact.event.data.scope };
    if (fact.event.type === 'GenerationStarted') await this.#backfill(scope, fact as Fact<GenerationStarted>);
    if (fact.event.type === 'GenerationRetired') {
      const partition = { scope, generation: fact.event.data.generation };
      await vectors?.drop(partition);
      await lexical?.drop(partition);
    }
  }

  /**
   * The log may already have vectors of the new generation's version: they are written for documents indexed before. If no other live
   * generation has its chunk list, the list is made first, and everything in it is written with it.
   */
  async #backfill(scope: TenantScope, { event, position }: Fact<GenerationStarted>): Promise<void> {
    if (this.#generations.liveWith(scope, chunkListOf(event.data.recipe.chunking)).length < 2) return;
    await this.#putAll(position, () => this.#recordedBefore(scope, position, { generation: event.data.generation }));
  }

  /** From here on, documents without a language are analysed in the language that their knowledge base declares. */
  async #configured(fact: Fact<KnowledgeBaseConfigured>): Promise<void> {
    const {
      event,
      metadata: { tenant, scope },
      position,
    } = fact;
    this.#declared.forget(fact);
    await this.#stores.catalog.apply(catalogProjection.project(fact, []) ?? [], position);
    if (scope === undefined || !(await this.#declared.isChangedBy(fact))) return;
    await this.#putAll(position, () =>
      this.#recordedBefore({ tenant, scope }, position, { wordsOnly: true }, { knowledgeBase: event.data.id, language: 'und' }),
    );
  }

  /**
   * This process may not have seen the facts that were removed. What they wrote, and the document still has, was kept, and is written now.
   * Where it was written before, this changes nothing. Rows of the catalog do not say what the indexes have: a chunk that was refused or not
   * embedded yet has a row and no entry.
   */
  async #historyRemoved(fact: Fact<DocumentHistoryRemoved>): Promise<void> {
    const { catalog, journal } = this.#stores;
    const {
      event: { data },
      metadata: { tenant, scope: name },
      position: at,
    } = fact;
    if (this.#isDeletedLater(fact) || this.#isErased(fact)) return this.#advance(at);
    // After a power cut, the catalog may be ahead of the indexes.
    const isInCatalog = at <= (await catalog.position());
    const changes: CatalogChange[] = [];
    if (name !== undefined && data.kept.length > 0) {
      const scope = { tenant, scope: name };
      const contents = await readContents(journal, tenant, data.documentId, at);
      const writes = new IndexWrites();
      for (const { indexed, chunks } of this.#keptIn(scope, contents, data.kept)) {
        await this.#steps.put(scope, contents, { indexed, at }, chunks, writes);
        const committed = { ...fact, event: { type: 'DocumentIndexed' as const, data: indexed } };
        if (!isInCatalog && (await catalog.documentsOf(scope, indexed.chunkList, chunks)).size < chunks.length)
          changes.push(...(catalogProjection.project(committed, catalogContents(contents, chunks)) ?? []));
      }
      await this.#putAll(at, () => [writes], writes.last());
    }
    // Last, and only once: it depends on which chunks are indexed then.
    if (!isInCatalog) changes.push(...(catalogProjection.project(fact, []) ?? []));
    await catalog.apply(changes, at);
  }

  /** The kept chunks that a live chunk list has. */
  *#keptIn(
    scope: TenantScope,
    { indexed: lists }: DocumentContents,
    kept: readonly ChunkId[],
  ): Generator<Readonly<{ indexed: DocumentIndexed['data']; chunks: readonly ChunkId[] }>> {
    const wanted = new Set(kept);
    for (const list of new Set(this.#generations.live(scope).map(({ recipe }) => chunkListOf(recipe.chunking)))) {
      const indexed = lists.get(list);
      const chunks = (indexed?.chunks ?? []).flatMap(({ chunkId }) => (wanted.has(chunkId) ? [chunkId] : []));
      if (indexed !== undefined && chunks.length > 0) yield { indexed, chunks };
    }
  }

  /** `of`: only these documents. Documents are written together, since each write waits for the disk. */
  async *#recordedBefore(scope: TenantScope, at: Position, options: PutOptions, of?: LanguageOfBase): AsyncGenerator<IndexWrites> {
    const { journal, catalog } = this.#stores;
    const read = async (id: DocumentId) => ({ id, contents: await readContents(journal, scope.tenant, id, at) });
    let writes = new IndexWrites();
    for await (const { id, contents } of ahead(this.#indexedDocuments(scope, of), READ_AHEAD, read)) {
      for (const indexed of contents.indexed.values())
        if ((await catalog.listedVersions(scope, indexed.chunkList, [id])).has(id))
          await this.#steps.put(
            scope,
            contents,
            { indexed, at },
            indexed.chunks.map(({ chunkId }) => chunkId),
            writes,
            options,
          );
      if (writes.size < WRITTEN_TOGETHER) continue;
      yield writes;
      writes = new IndexWrites();
    }
    if (writes.size > 0) yield writes;
  }

  async *#indexedDocuments(scope: TenantScope, of?: LanguageOfBase): AsyncGenerator<DocumentId> {
    for (let after: DocumentId | undefined; ;) {
      const ids = await this.#stores.catalog.indexedDocuments(scope, 100, after, of);
      yield* ids;
      after = ids.at(-1);
      if (after === undefined) return;
    }
  }

  async #commit({ facts, writes, contents, upTo }: Step): Promise<void> {
    const { catalog } = this.#stores;
    await this.#putAll(upTo, () => [writes], writes.last());
    // The catalog commits in transactions: it skips facts that it committed before a crash.
    const known = await catalog.position();
    const fresh = facts.filter(
      (fact) => fact.position > known && !this.#isDeletedLater(fact) && !this.#isOfNoList(fact) && !this.#isErased(fact),
    );
    await catalog.apply(
      fresh.flatMap((fact) => catalogProjection.project(fact, contents.get(fact.id) ?? []) ?? []),
      upTo,
    );
    await this.#write(writes, upTo, 'remove');
    await this.#stores.shared?.remove(writes);
  }

  /** The catalog contains the chunk lists of live generations. A worker may complete a list after its last generation was retired. */
  #isOfNoList({ event, metadata: { tenant, scope } }: Fact<DomainEvent>): boolean {
    if (event.type !== 'DocumentIndexed' || scope === undefined) return false;
    return !this.#generations.hasList({ tenant, scope }, event.data.chunkList);
  }

  /** Facts of an erased scope: other processes may still have written some with its key, for a moment. */
  #isErased({ metadata: { tenant, scope } }: Fact<DomainEvent>): boolean {
    return scope !== undefined && this.#generations.isErased({ tenant, scope });
  }

  #isDeletedLater({ event, metadata: { tenant }, position }: Fact<DomainEvent>): boolean {
    return 'documentId' in event.data && this.#tombstones.hasDocument(tenant, event.data.documentId, position);
  }

  /** `last`: position of their last fact. The catalog must not advance until all processes have written it. */
  async #putAll(upTo: Position, puts: PutSource, last = upTo): Promise<void> {
    if (!this.#stores.vectors) return;
    const { shared } = this.#stores;
    if (!shared || !shared.sharesLexical) for await (const writes of puts()) await this.#write(writes, upTo, 'put');
    await shared?.put(last, puts, this.#signal);
  }

  /** Writes to the indexes that only this process uses. */
  async #write(writes: IndexWrites, upTo: Position, kind: 'put' | 'remove'): Promise<void> {
    const { vectors, lexical, shared } = this.#stores;
    if (!vectors || !lexical) return;
    for (const { partition, writes: all } of writes.partitions()) {
      const of = all.filter(({ write }) => write === kind);
      if (of.length === 0) continue;
      // In parallel, words first: another thread tokenizes them while this one writes the vectors.
      const words = shared?.sharesLexical ? undefined : applyAt(lexical, partition, () => of.map(toLexical), upTo);
      const numbers = shared ? undefined : applyAt(vectors, partition, () => of.flatMap(toVectors), upTo);
      for (const written of await Promise.allSettled([words, numbers])) if (written.status === 'rejected') throw written.reason;
    }
  }
}
