import { laterOf } from '@palimpsest/knowledge';
import type { DocumentId, DomainEvent, Fact, GenerationStarted, IndexPartition, IndexRemoval, KnowledgeBaseConfigured, LanguageOfBase, Position, ScopeEvent, TenantScope, VectorPut } from '@palimpsest/knowledge';
import { catalogChanges } from './catalog-changes.ts';
import { changesEarlierFacts } from './changes-earlier-facts.ts';
import { DeclaredLanguages } from './declared-languages.ts';
import { readContents } from './document-contents.ts';
import { IndexWrites, isPut, type ChunkWrite } from './index-writes.ts';
import { ProjectionSteps, type Step } from './projection-step.ts';
import type { ReadModelStores } from './read-model-stores.ts';
import { ScopeGenerations } from './scope-generations.ts';
import type { PutSource } from './shared-index-writer.ts';
import { Tombstones } from './tombstones.ts';

/** Facts, and what follows from them, unless they change how facts are read. */
export type Prepared = Readonly<{ facts: readonly Fact<DomainEvent>[]; upTo: Position; step?: Step }>;

/**
 * Turns facts into the three read models. For each batch: first what is new goes into the indexes (not yet visible, since
 * the catalogue does not know it), then the catalogue changes in one transaction (the switch that searches see), then what
 * is gone leaves the indexes. Killed at any point, the same facts give the same writes again.
 */
export class ReadModelProjector {
  readonly #stores: ReadModelStores;
  readonly #generations = new ScopeGenerations();
  readonly #declared: DeclaredLanguages;
  readonly #steps: ProjectionSteps;
  readonly #tombstones: Tombstones;
  #signal: AbortSignal | undefined;

  /** `tombstones`: what later facts remove is not written. */
  constructor(stores: ReadModelStores, tombstones = new Tombstones()) {
    this.#stores = stores;
    this.#tombstones = tombstones;
    this.#declared = new DeclaredLanguages(stores.journal);
    this.#steps = new ProjectionSteps(stores, this.#generations, tombstones, this.#declared);
  }

  /** Call before the first batch, and after a reset of the catalogue. */
  async start(): Promise<void> {
    await this.#generations.load(this.#stores.catalog);
  }

  /**
   * Works out what facts lead to, and has the indexes begin with it; writes nothing, so that what came before may still be being written, unless
   * that changes how facts are read. In the order of the log, all up to `upTo`.
   */
  async prepare(facts: readonly Fact<DomainEvent>[], upTo: Position): Promise<Prepared> {
    if (facts.some(({ event }) => changesEarlierFacts(event))) return { facts, upTo };
    const step = await this.#steps.of(facts, upTo);
    if (!this.#stores.shared) for (const { writes } of step.writes.partitions()) this.#stores.lexical?.expect?.(writes.filter(isPut).map((put) => put.lexical()));
    return { facts, upTo, step };
  }

  /** What was prepared, one after the other. `signal` ends the wait for other writers of a shared index. */
  async write({ facts, upTo, step }: Prepared, signal?: AbortSignal): Promise<void> {
    this.#signal = signal;
    if (step) return this.#commit(step);
    let run: Fact<DomainEvent>[] = [];
    for (const fact of facts) {
      if (!changesEarlierFacts(fact.event)) {
        run.push(fact);
        continue;
      }
      // What earlier facts lead to changes here: what came before is written first, as it was then.
      const last = run.at(-1);
      if (last) await this.#project(run, last.position);
      run = [];
      if (fact.event.type === 'KnowledgeBaseConfigured') await this.#configured(fact as Fact<KnowledgeBaseConfigured>);
      else await this.#scopeChanged(fact as Fact<ScopeEvent>);
    }
    await this.#project(run, upTo);
  }

  async #project(facts: readonly Fact<DomainEvent>[], upTo: Position): Promise<void> {
    await this.#commit(await this.#steps.of(facts, upTo));
  }

  async #scopeChanged(fact: Fact<ScopeEvent>): Promise<void> {
    const { catalog, vectors, lexical } = this.#stores;
    this.#generations.evolve(fact);
    await catalog.apply(catalogChanges(fact, []), fact.position);
    const scope = { tenant: fact.metadata.tenant, scope: fact.event.data.scope };
    if (fact.event.type === 'GenerationStarted') await this.#backfill(scope, fact as Fact<GenerationStarted>);
    if (fact.event.type === 'GenerationRetired') {
      const partition = { scope, generation: fact.event.data.generation };
      await vectors?.drop(partition);
      await lexical?.drop(partition);
    }
  }

  /** A generation may find vectors of its version on the log already: whatever was indexed before it gets what there is. */
  async #backfill(scope: TenantScope, { position }: Fact<GenerationStarted>): Promise<void> {
    await this.#putAll(position, () => this.#recordedBefore(scope, position));
  }

  /** The words of documents without a language are analysed in the one that their knowledge base declares from here on. */
  async #configured(fact: Fact<KnowledgeBaseConfigured>): Promise<void> {
    const { event, metadata: { tenant, scope }, position } = fact;
    this.#declared.forget(fact);
    await this.#stores.catalog.apply(catalogChanges(fact, []), position);
    if (scope === undefined || !(await this.#declared.isChangedBy(fact))) return;
    await this.#putAll(position, () => this.#recordedBefore({ tenant, scope }, position, { knowledgeBase: event.data.id, language: 'und' }));
  }

  /** `of`: only the words of these documents. */
  async *#recordedBefore(scope: TenantScope, at: Position, of?: LanguageOfBase): AsyncGenerator<IndexWrites> {
    for (let after: DocumentId | undefined; ; ) {
      const ids = await this.#stores.catalog.indexedDocuments(scope, 100, after, of);
      for (const id of ids) {
        const contents = await readContents(this.#stores.journal, scope.tenant, id, at);
        if (!contents.indexed) continue;
        const writes = new IndexWrites();
        await this.#steps.put(scope, contents, { indexed: contents.indexed, at }, contents.indexed.chunks.map(({ chunkId }) => chunkId), writes, of !== undefined);
        yield writes;
      }
      after = ids.at(-1);
      if (after === undefined) return;
    }
  }

  async #commit({ facts, writes, contents, upTo }: Step): Promise<void> {
    const { catalog } = this.#stores;
    await this.#putAll(upTo, () => [writes], writes.last());
    // The catalogue moves in transactions: what it took before a crash it is not told again.
    const known = await catalog.position();
    const fresh = facts.filter((fact) => fact.position > known && !this.#isDeletedLater(fact));
    await catalog.apply(fresh.flatMap((fact) => catalogChanges(fact, contents.get(fact.id) ?? [])), upTo);
    await this.#write(writes, upTo, 'remove');
    await this.#stores.shared?.remove(writes);
  }

  #isDeletedLater({ event, metadata: { tenant }, position }: Fact<DomainEvent>): boolean {
    return 'documentId' in event.data && this.#tombstones.hasDocument(tenant, event.data.documentId, position);
  }

  /** `last`: of the last fact among them; until it is written by all, the catalogue must not go on. */
  async #putAll(upTo: Position, puts: PutSource, last = upTo): Promise<void> {
    if (!this.#stores.vectors) return;
    const { shared } = this.#stores;
    if (!shared || !shared.sharesLexical) for await (const writes of puts()) await this.#write(writes, upTo, 'put');
    await shared?.put(last, puts, this.#signal);
  }

  /** Into the indexes that are this process's own. */
  async #write(writes: IndexWrites, upTo: Position, kind: 'put' | 'remove'): Promise<void> {
    const { vectors, lexical, shared } = this.#stores;
    if (!vectors || !lexical) return;
    for (const { partition, writes: all } of writes.partitions()) {
      const of = all.filter(({ write }) => write === kind);
      if (of.length === 0) continue;
      // Side by side, words first: while another thread looks for them, the vectors are written here.
      const words = shared?.sharesLexical ? undefined : applyAt(lexical, partition, () => of.map(toLexical), upTo);
      const numbers = shared ? undefined : applyAt(vectors, partition, () => of.flatMap(toVectors), upTo);
      for (const written of await Promise.allSettled([words, numbers])) if (written.status === 'rejected') throw written.reason;
    }
  }
}

/**
 * An index may be ahead, of a batch that was put but not removed when the process was killed: what is written again then
 * counts as written at the index's own position, since it would ignore anything older and keep what should be gone.
 */
const applyAt = async <W>(
  index: Readonly<{ position: (partition: IndexPartition) => Promise<Position>; apply: (partition: IndexPartition, writes: readonly W[], upTo: Position) => Promise<void> }>,
  partition: IndexPartition,
  writes: () => readonly W[],
  upTo: Position,
): Promise<void> => index.apply(partition, writes(), laterOf(upTo, await index.position(partition)));

const toVectors = (write: ChunkWrite): readonly (VectorPut | IndexRemoval)[] => (isPut(write) ? (write.vector ? [write.vector()] : []) : [removalOf(write)]);
const toLexical = (write: ChunkWrite) => (isPut(write) ? write.lexical() : removalOf(write));
const removalOf = ({ chunkId }: ChunkWrite) => ({ write: 'remove' as const, chunkId });
