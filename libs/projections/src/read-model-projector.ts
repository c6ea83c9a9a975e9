import { fromBase64, type Journal } from '@palimpsest/contracts';
import { laterOf } from '@palimpsest/knowledge';
import type {
  Catalog, ChunkContent, ChunkId, DocumentId, DocumentIndexed, DomainEvent, Fact, GenerationStarted, IndexPartition, LexicalIndex, Position, ScopeEvent, ScopeKeys,
  TenantScope, VectorIndex,
} from '@palimpsest/knowledge';
import { catalogChanges } from './catalog-changes.ts';
import { ContentBuffer, readContents, type DocumentContents } from './document-contents.ts';
import { attributesOf, IndexWrites, isPut, lexicalPut, vectorPut, type ChunkWrite } from './index-writes.ts';
import { isScopeEvent, ScopeGenerations } from './scope-generations.ts';
import type { PutSource, SharedIndexWriter } from './shared-index-writer.ts';

export type ReadModelStores = Readonly<{
  journal: Journal;
  catalog: Catalog;
  keys: ScopeKeys;
  /** Both, or none: a process that answers no queries needs only the catalogue. */
  vectors?: VectorIndex;
  lexical?: LexicalIndex;
  /** Writes the indexes that this process shares with others; without it, all are this process's own. */
  shared?: SharedIndexWriter;
}>;

/** What a run of facts writes where. */
type Step = { upTo: Position; facts: readonly Fact<DomainEvent>[]; writes: IndexWrites; contents: Map<string, readonly ChunkContent[]>; documents: Map<string, DocumentContents> };

/** Facts, and what follows from them, unless they change how facts are read. */
export type Prepared = Readonly<{ facts: readonly Fact<DomainEvent>[]; upTo: Position; step?: Step }>;

/**
 * Turns facts into the three read models. For each batch: first what is new goes into the indexes (not yet visible, since
 * the catalogue does not know it), then the catalogue changes in one transaction (the switch that searches see), then what
 * is gone leaves the indexes. Killed at any point, the same facts give the same writes again.
 */
export class ReadModelProjector {
  readonly #stores: ReadModelStores;
  readonly #buffer = new ContentBuffer();
  readonly #generations = new ScopeGenerations();
  #signal: AbortSignal | undefined;

  constructor(stores: ReadModelStores) {
    this.#stores = stores;
  }

  /** Call before the first batch, and after a reset of the catalogue. */
  async start(): Promise<void> {
    await this.#generations.load(this.#stores.catalog);
  }

  /**
   * Works out what facts lead to, and has the indexes begin with it; writes nothing, so that what came before may still be being written, unless
   * that says something of scopes. In the order of the log, all up to `upTo`.
   */
  async prepare(facts: readonly Fact<DomainEvent>[], upTo: Position): Promise<Prepared> {
    if (facts.some(({ event }) => isScopeEvent(event))) return { facts, upTo };
    const step = await this.#collected(facts, upTo);
    if (!this.#stores.shared) for (const { writes } of step.writes.partitions()) this.#stores.lexical?.expect?.(writes.filter(isPut).map((put) => put.lexical()));
    return { facts, upTo, step };
  }

  /** What was prepared, one after the other. `signal` ends the wait for other writers of a shared index. */
  async write({ facts, upTo, step }: Prepared, signal?: AbortSignal): Promise<void> {
    this.#signal = signal;
    if (step) return this.#commit(step);
    let run: Fact<DomainEvent>[] = [];
    for (const fact of facts) {
      if (!isScopeEvent(fact.event)) {
        run.push(fact);
        continue;
      }
      // Which generations are written, or searched, changes here: what came before is written first, as it was then.
      const last = run.at(-1);
      if (last) await this.#project(run, last.position);
      run = [];
      await this.#scopeChanged(fact as Fact<ScopeEvent>);
    }
    await this.#project(run, upTo);
  }

  async #project(facts: readonly Fact<DomainEvent>[], upTo: Position): Promise<void> {
    await this.#commit(await this.#collected(facts, upTo));
  }

  async #collected(facts: readonly Fact<DomainEvent>[], upTo: Position): Promise<Step> {
    const step = newStep(facts, upTo);
    for (const fact of facts) await this.#collect(fact, step);
    return step;
  }

  async #collect(fact: Fact<DomainEvent>, step: Step): Promise<void> {
    const { event } = fact;
    switch (event.type) {
      case 'KnowledgeChunkIndexed':
        return this.#buffer.add(fact, event.data.documentId);
      case 'KnowledgeChunkReembedded':
        this.#buffer.add(fact, event.data.documentId);
        return this.#reembedded(fact, event.data.documentId, step);
      case 'DocumentIndexed':
        return this.#indexed(fact as Fact<DocumentIndexed>, step);
      case 'DocumentDeleted':
        return this.#remove(fact, event.data.chunks, step);
      default:
        return undefined;
    }
  }

  async #indexed(fact: Fact<DocumentIndexed>, step: Step): Promise<void> {
    const scope = scopeOf(fact);
    if (!scope) return;
    const { documentId, written, removed } = fact.event.data;
    const live = this.#generations.live(scope);
    const buffered = this.#buffer.take(scope.tenant, documentId, written);
    const complete = buffered && written.every((id) => live.every(({ embeddingVersion }) => buffered.chunks.get(id)?.vectors.has(embeddingVersion)));
    const contents = complete ? buffered : await readContents(this.#stores.journal, scope.tenant, documentId, fact.position);
    await this.#put(scope, contents, { indexed: fact.event.data, at: fact.position }, written, step.writes);
    step.contents.set(fact.id, catalogContents(contents, written));
    await this.#remove(fact, removed, step);
  }

  /** A vector came later than its chunk's document was indexed: only then is there something to write. */
  async #reembedded(fact: Fact<DomainEvent>, id: DocumentId, step: Step): Promise<void> {
    const scope = scopeOf(fact);
    if (!scope) return;
    const { data } = fact.event as Extract<DomainEvent, { type: 'KnowledgeChunkReembedded' }>;
    if (!this.#generations.live(scope).some(({ embeddingVersion }) => embeddingVersion === data.embeddingVersion)) return;
    // Read as of the end of the step, once for all of its chunks: what comes in between has its own, later, writes.
    const key = `${scope.tenant}/${id}`;
    const contents = step.documents.get(key) ?? (await readContents(this.#stores.journal, scope.tenant, id, step.upTo));
    step.documents.set(key, contents);
    if (contents.indexed?.chunks.some(({ chunkId }) => chunkId === data.chunkId))
      await this.#put(scope, contents, { indexed: contents.indexed, at: fact.position }, [data.chunkId], step.writes);
  }

  async #put(
    scope: TenantScope,
    contents: DocumentContents,
    { indexed, at }: Readonly<{ indexed: DocumentIndexed['data']; at: Position }>,
    ids: readonly ChunkId[],
    writes: IndexWrites,
  ): Promise<void> {
    if (!this.#stores.vectors) return;
    const cipher = await this.#stores.keys.cipher(scope);
    const attributes = attributesOf(indexed);
    for (const id of ids) {
      const content = contents.chunks.get(id);
      if (!content) continue;
      for (const generation of this.#generations.live(scope)) {
        const sealed = content.vectors.get(generation.embeddingVersion);
        // Without a vector of this version the chunk waits for its KnowledgeChunkReembedded.
        if (sealed === undefined) continue;
        writes.add(
          { scope, generation: generation.id },
          {
            write: 'put', chunkId: id, at,
            vector: () => vectorPut(cipher, content, generation.embeddingVersion, sealed, attributes),
            lexical: once(() => lexicalPut(cipher, content, attributes)),
          },
        );
      }
    }
  }

  async #remove(fact: Fact<DomainEvent>, ids: readonly ChunkId[], step: Step): Promise<void> {
    const scope = scopeOf(fact);
    if (!scope) return;
    for (const { id: generation } of this.#generations.live(scope)) for (const chunkId of ids) step.writes.add({ scope, generation }, { write: 'remove', chunkId, at: fact.position });
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

  async *#recordedBefore(scope: TenantScope, at: Position): AsyncGenerator<IndexWrites> {
    for (let after: DocumentId | undefined; ; ) {
      const ids = await this.#stores.catalog.indexedDocuments(scope, 100, after);
      for (const id of ids) {
        const contents = await readContents(this.#stores.journal, scope.tenant, id, at);
        if (!contents.indexed) continue;
        const writes = new IndexWrites();
        await this.#put(scope, contents, { indexed: contents.indexed, at }, contents.indexed.chunks.map(({ chunkId }) => chunkId), writes);
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
    const fresh = facts.filter(({ position }) => position > known);
    await catalog.apply(fresh.flatMap((fact) => catalogChanges(fact, contents.get(fact.id) ?? [])), upTo);
    await this.#write(writes, upTo, 'remove');
    await this.#stores.shared?.remove(writes);
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
      const numbers = shared ? undefined : applyAt(vectors, partition, () => of.map(toVectors), upTo);
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

const toVectors = (write: ChunkWrite) => (isPut(write) ? write.vector() : removalOf(write));
const toLexical = (write: ChunkWrite) => (isPut(write) ? write.lexical() : removalOf(write));
const removalOf = ({ chunkId }: ChunkWrite) => ({ write: 'remove' as const, chunkId });

const once = <T>(make: () => T): (() => T) => {
  let made: T | undefined;
  return () => (made ??= make());
};

const newStep = (facts: readonly Fact<DomainEvent>[], upTo: Position): Step => ({ upTo, facts, writes: new IndexWrites(), contents: new Map(), documents: new Map() });

const scopeOf = ({ metadata: { tenant, scope } }: Fact<DomainEvent>): TenantScope | undefined => (scope === undefined ? undefined : { tenant, scope });

const catalogContents = (contents: DocumentContents, ids: readonly ChunkId[]): ChunkContent[] =>
  ids.flatMap((chunkId) => {
    const chunk = contents.chunks.get(chunkId)?.chunk;
    if (!chunk) return [];
    const { contentHash, language, symbol, sealedText } = chunk;
    return [{ chunkId, contentHash, language, sealedText: fromBase64(sealedText), ...(symbol === undefined ? {} : { symbol }) }];
  });
