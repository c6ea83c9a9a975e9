import type { Journal } from '@palimpsest/contracts';
import { ahead, nextTurn, type System } from '@palimpsest/foundation';
import { documentStream, knowledgeBaseStream } from '@palimpsest/knowledge/deciders';
import type { DomainEvent, Fact } from '@palimpsest/knowledge/events';
import type { ScopeKeys, StreamName } from '@palimpsest/knowledge/ports';
import type {
  Catalog,
  IndexPartition,
  IndexRemoval,
  IndexStore,
  LexicalIndex,
  LexicalPut,
  ReadModels,
  ScopeView,
  VectorIndex,
  VectorPut,
} from '@palimpsest/knowledge/read-models';
import { scopeKey, START, type DocumentId, type Position, type TenantId, type TenantScope } from '@palimpsest/knowledge/values';
import { applyAt } from '../apply-at.ts';
import { ReadModelProjector } from '../read-model-projector.ts';
import { Tombstones } from '../tombstones.ts';
import { ChangesSince, type ChangedDocument } from './changes-since.ts';
import { KeptPuts } from './kept-puts.ts';

/** A set of read models whose indexes can be copied. */
export type CopiedSet = Readonly<{ catalog: Catalog; vectors: VectorIndex; lexical: LexicalIndex }>;
/** The read models that follow the log. */
export type LiveSet = CopiedSet & Pick<ReadModels, 'reached' | 'serving'>;

type Ports = Readonly<{ journal: Journal; keys: ScopeKeys; system: System }>;
/** `onTakenBack`: called with the share of the changes that are taken back, from 0 to 1. */
type Moment = Readonly<{ tenant: TenantId; position: Position; signal: AbortSignal; onTakenBack: (share: number) => void }>;
/** The write that gives an index what it had of a chunk. */
type Writes<P> = readonly (P | IndexRemoval)[];
type PartitionWrites = Readonly<{ partition: IndexPartition; vectors: Writes<VectorPut>; lexical: Writes<LexicalPut> }>;
/** Documents as of the position: their rows, and the writes that give the indexes what they had of them. */
type Rebuilt = Readonly<{ documents: readonly ChangedDocument[]; catalog: Catalog; writes: readonly PartitionWrites[] }>;
/** Resolve when the parts of the set are copies. */
type Copied = Readonly<Record<keyof CopiedSet, Promise<void>>>;

/** A caller waits; the live read models are rarely behind for longer. */
const WAIT_MS = 1_000;
/** Changed chunks that can always be taken back. Beyond it, only if most of what the tenant has did not change: then a copy is faster than a replay. */
const FEW_CHUNKS = 1_000;
/** Documents that are built together: about this many changed chunks, and at most this many facts. */
const CHUNKS_TOGETHER = 2_048;
const DOCUMENTS_TOGETHER = 64;
const MAX_FACTS = 10_000;
/** Built while earlier ones are written, or while the set is copied. */
const BUILT_AHEAD = 3;
/** Facts that are projected before searches are served, and chunks that are written. */
const STEP = 64;
const WRITTEN_TOGETHER = 512;

/**
 * Makes the view of a position in an empty set, as a copy of the live read models in which later facts of the tenant are taken back: what
 * they changed is removed, and built from the facts of its own streams as a view is. The copy need not be one of a single moment, since
 * everything that changes while it is made is taken back, too.
 */
export class LiveCopy {
  readonly #ports: Ports;
  readonly #live: LiveSet;
  readonly #target: CopiedSet;
  readonly #moment: Moment;
  /** Open ones; another one may be being filled when this has ended. */
  readonly #scratch = new Set<Catalog>();
  #ended = false;

  constructor(ports: Ports, live: LiveSet, target: CopiedSet, moment: Moment) {
    this.#ports = ports;
    this.#live = live;
    this.#target = target;
    this.#moment = moment;
  }

  /** Returns false if the view has to be built from the log; the set may have a part of it then. */
  async make(): Promise<boolean> {
    try {
      return await this.#make();
    } finally {
      this.#ended = true;
      for (const catalog of this.#scratch) await catalog.close();
    }
  }

  async #make(): Promise<boolean> {
    const { tenant, position, signal } = this.#moment;
    if (!(await this.#isComplete())) return false;
    const maxChunks = Math.max(FEW_CHUNKS, (await this.#live.catalog.chunkCount(tenant)) / 2);
    const changes = new ChangesSince(this.#ports.journal, { tenant, position, maxChunks });
    if (!(await changes.readOn(signal))) return false;
    const scopes = await this.#scopesOf(changes);
    const changed = changes.take();
    const copied = this.#copy(scopes, changed);
    const takenBack = this.#takeBack(changed, changes, copied);
    for (const ended of await Promise.allSettled([...Object.values(copied), takenBack]))
      if (ended.status === 'rejected') throw ended.reason;
    // Damage that was found meanwhile is rebuilt in place.
    if (!(await takenBack) || !(await this.#isComplete()) || !(await changes.readOn(signal))) return false;
    if (!(await this.#takeBack(changes.take(), changes, copied))) return false;
    return this.#takeBackBases(changes);
  }

  async #isComplete(): Promise<boolean> {
    const { position, signal } = this.#moment;
    return (await this.#live.reached(position, WAIT_MS, signal)) && this.#live.serving();
  }

  async #scopesOf(changes: ChangesSince): Promise<readonly TenantScope[]> {
    const found: TenantScope[] = [];
    for (const { scope } of await this.#live.catalog.scopes(this.#moment.tenant))
      if ((await changes.generationsOf(scope)).length > 0) found.push(scope);
    return found;
  }

  /** What is known to have changed is built anyway: its rows are not copied. */
  #copy(scopes: readonly TenantScope[], changed: readonly ChangedDocument[]): Copied {
    const { catalog, vectors, lexical } = this.#target;
    const except = changed.map(({ id }) => id);
    return {
      catalog: catalog.replaceScopes(scopes, this.#live.catalog, except),
      vectors: copyPartitions(scopes, this.#live.vectors, vectors),
      lexical: copyPartitions(scopes, this.#live.lexical, lexical),
    };
  }

  /** Makes what the set has of changed documents equal to what it had. Returns false if their facts are too many. */
  async #takeBack(documents: readonly ChangedDocument[], changes: ChangesSince, copied: Copied): Promise<boolean> {
    const { signal, onTakenBack } = this.#moment;
    let done = 0;
    for await (const rebuilt of ahead(together(documents), BUILT_AHEAD, (some) => this.#rebuilt(some, changes))) {
      if (rebuilt === undefined || signal.aborted) return false;
      await this.#write(rebuilt, copied);
      done += rebuilt.documents.length;
      onTakenBack(done / documents.length);
    }
    return true;
  }

  async #takeBackBases(changes: ChangesSince): Promise<boolean> {
    const { position, tenant } = this.#moment;
    const { catalog } = this.#target;
    const knowledgeBases = [...changes.knowledgeBases];
    const facts = await this.#factsOf(knowledgeBases.map((id) => ({ stream: knowledgeBaseStream(tenant, id) })));
    const built = facts && (await this.#projected([], facts));
    if (built === undefined) return false;
    await catalog.replaceItems({ tenant, documents: [], knowledgeBases }, built.catalog);
    await catalog.apply([], position);
    return true;
  }

  /** Builds documents from their facts, and those that they depend on. Returns nothing if these are too many. */
  async #rebuilt(documents: readonly ChangedDocument[], changes: ChangesSince): Promise<Rebuilt | undefined> {
    const { tenant } = this.#moment;
    const facts: Fact<DomainEvent>[] = [];
    const withoutHistory: DocumentId[] = [];
    for (const { id, unchanged: limit } of documents) {
      const of = await this.#factsOf([{ stream: documentStream(tenant, id), limit }]);
      if (of === undefined || facts.length + of.length > MAX_FACTS) return undefined;
      facts.push(...of);
      if (of.some(({ revision }, at) => revision !== at)) withoutHistory.push(id);
    }
    const bases = new Set(facts.flatMap(({ event }) => (event.type === 'DocumentSubmitted' ? [event.data.knowledgeBase] : [])));
    const ofBases = await this.#factsOf([...bases].map((id) => ({ stream: knowledgeBaseStream(tenant, id) })));
    if (ofBases === undefined) return undefined;
    const scopes = new Map(documents.map(({ scope }) => [scopeKey(scope), scope]));
    for (const scope of scopes.values()) facts.push(...(await changes.generationsOf(scope)));
    return this.#projected(documents, [...facts, ...ofBases], withoutHistory);
  }

  /** `limit`: facts that can be before the position. */
  async #factsOf(streams: readonly Readonly<{ stream: StreamName; limit?: number }>[]): Promise<Fact<DomainEvent>[] | undefined> {
    const found: Fact<DomainEvent>[] = [];
    for (const { stream, ...options } of streams)
      for await (const fact of this.#ports.journal.readStream(stream, options)) {
        if (fact.position > this.#moment.position) break;
        if (found.push(fact) > MAX_FACTS) return undefined;
      }
    return found;
  }

  /** `withoutHistory`: documents whose facts are not complete. */
  async #projected(
    documents: readonly ChangedDocument[],
    found: readonly Fact<DomainEvent>[],
    withoutHistory: readonly DocumentId[] = [],
  ): Promise<Rebuilt | undefined> {
    if (this.#ended) return undefined;
    const { journal, keys, system } = this.#ports;
    const facts = found.toSorted((a, b) => (a.position < b.position ? -1 : 1));
    const catalog = await this.#target.catalog.createScratch();
    this.#scratch.add(catalog);
    const [vectors, lexical] = [new KeptPuts<VectorPut>(), new KeptPuts<LexicalPut>()];
    const projector = new ReadModelProjector(
      { journal, keys, catalog, vectors, lexical },
      Tombstones.of(facts, this.#moment.tenant, withoutHistory),
    );
    await projector.start(START);
    for (let at = 0; at < facts.length; at += STEP) {
      const some = facts.slice(at, at + STEP);
      const last = some.at(-1)?.position ?? this.#moment.position;
      await projector.write(await projector.prepare(some, last));
      await nextTurn(system.scheduler);
    }
    return { documents, catalog, writes: this.#writesOf(documents, await catalog.scopes(), { vectors, lexical }) };
  }

  /** What the live generations get of the changed chunks, in batches that the index of words begins to analyse. */
  #writesOf(
    documents: readonly ChangedDocument[],
    scopes: readonly ScopeView[],
    { vectors, lexical }: Readonly<{ vectors: KeptPuts<VectorPut>; lexical: KeptPuts<LexicalPut> }>,
  ): readonly PartitionWrites[] {
    const found: PartitionWrites[] = [];
    for (const { scope, generations } of scopes) {
      const chunks = documents.flatMap((document) => (scopeKey(document.scope) === scopeKey(scope) ? [...document.chunks] : []));
      for (const { id: generation } of generations.filter(({ status }) => status !== 'retired'))
        for (let at = 0; at < chunks.length; at += WRITTEN_TOGETHER) {
          const partition = { scope, generation };
          const some = chunks.slice(at, at + WRITTEN_TOGETHER);
          const writes = {
            partition,
            vectors: some.map((chunk) => vectors.writeOf(partition, chunk)),
            lexical: some.map((chunk) => lexical.writeOf(partition, chunk)),
          };
          this.#target.lexical.expect?.(writes.lexical.filter((write) => write.write === 'put'));
          found.push(writes);
        }
    }
    return found;
  }

  /** Makes what the set has of changed documents equal to what was built. */
  async #write({ documents, catalog, writes }: Rebuilt, copied: Copied): Promise<void> {
    const { tenant, position } = this.#moment;
    const { vectors, lexical } = this.#target;
    await Promise.all([copied.vectors, copied.lexical]);
    for (const { partition, ...of } of writes)
      await Promise.all([applyAt(lexical, partition, () => of.lexical, position), applyAt(vectors, partition, () => of.vectors, position)]);
    await copied.catalog;
    await this.#target.catalog.replaceItems({ tenant, documents: documents.map(({ id }) => id), knowledgeBases: [] }, catalog);
    this.#scratch.delete(catalog);
    await catalog.close();
  }
}

const copyPartitions = async (scopes: readonly TenantScope[], from: IndexStore, to: IndexStore): Promise<void> => {
  const keys = new Set(scopes.map(scopeKey));
  for (const partition of await from.partitions()) if (keys.has(scopeKey(partition.scope))) await to.copy?.(partition, from);
};

function* together(documents: Iterable<ChangedDocument>): Generator<readonly ChangedDocument[]> {
  let [some, chunks]: [ChangedDocument[], number] = [[], 0];
  for (const document of documents) {
    some.push(document);
    chunks += document.chunks.size;
    if (chunks < CHUNKS_TOGETHER && some.length < DOCUMENTS_TOGETHER) continue;
    yield some;
    [some, chunks] = [[], 0];
  }
  if (some.length > 0) yield some;
}
