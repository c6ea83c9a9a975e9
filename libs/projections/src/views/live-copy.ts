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
  VectorIndex,
  VectorPut,
} from '@palimpsest/knowledge/read-models';
import { scopeKey, START, type DocumentId, type Position, type TenantId, type TenantScope } from '@palimpsest/knowledge/values';
import { applyAt } from '../apply-at.ts';
import { ReadModelProjector } from '../read-model-projector.ts';
import type { WrittenIndex } from '../read-model-stores.ts';
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
/** Documents as of the position, and what the indexes have of them. */
type Rebuilt = Readonly<{
  documents: readonly ChangedDocument[];
  catalog: Catalog;
  vectors: KeptPuts<VectorPut>;
  lexical: KeptPuts<LexicalPut>;
}>;

/** A caller waits; the live read models are rarely behind for longer. */
const WAIT_MS = 1_000;
/** Changed chunks that can always be taken back. Beyond it, only if most of what the tenant has did not change: then a copy is faster than a replay. */
const FEW_CHUNKS = 1_000;
/** Documents whose facts are in memory together: about this many changed chunks, and at most this many facts. */
const CHUNKS_TOGETHER = 512;
const DOCUMENTS_TOGETHER = 64;
const MAX_FACTS = 10_000;
/** Facts that are projected before searches are served, and chunks that are written. */
const STEP = 64;
const WRITTEN_TOGETHER = 256;

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
    await this.#copy(scopes);
    // Damage that was found meanwhile is rebuilt in place.
    if (!(await this.#isComplete()) || !(await changes.readOn(signal))) return false;
    return this.#takeBack(changes);
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

  async #copy(scopes: readonly TenantScope[]): Promise<void> {
    const { catalog, vectors, lexical } = this.#target;
    await Promise.all([
      catalog.replaceScopes(scopes, this.#live.catalog),
      copyPartitions(scopes, this.#live.vectors, vectors),
      copyPartitions(scopes, this.#live.lexical, lexical),
    ]);
  }

  async #takeBack(changes: ChangesSince): Promise<boolean> {
    const { position, tenant, signal, onTakenBack } = this.#moment;
    const { catalog } = this.#target;
    const partitions = await this.#partitions();
    let done = 0;
    for await (const rebuilt of ahead(together(changes.documents.values()), 2, (documents) => this.#rebuilt(documents, changes))) {
      if (rebuilt === undefined || signal.aborted) return false;
      await this.#write(rebuilt, partitions);
      done += rebuilt.documents.length;
      onTakenBack(done / changes.documents.size);
    }
    const knowledgeBases = [...changes.knowledgeBases];
    const facts = await this.#factsOf(knowledgeBases.map((id) => knowledgeBaseStream(tenant, id)));
    const built = facts && (await this.#projected([], facts));
    if (built === undefined) return false;
    await catalog.replaceItems({ tenant, documents: [], knowledgeBases }, built.catalog);
    await catalog.apply([], position);
    return true;
  }

  /** Of each scope: those of its live generations. */
  async #partitions(): Promise<ReadonlyMap<string, readonly IndexPartition[]>> {
    const found = new Map<string, readonly IndexPartition[]>();
    for (const { scope, generations } of await this.#target.catalog.scopes())
      found.set(
        scopeKey(scope),
        generations.filter(({ status }) => status !== 'retired').map(({ id: generation }) => ({ scope, generation })),
      );
    return found;
  }

  /** Builds documents from their facts, and those that they depend on. Returns nothing if these are too many. */
  async #rebuilt(documents: readonly ChangedDocument[], changes: ChangesSince): Promise<Rebuilt | undefined> {
    const { tenant } = this.#moment;
    const facts: Fact<DomainEvent>[] = [];
    const withoutHistory: DocumentId[] = [];
    for (const { id } of documents) {
      const of = await this.#factsOf([documentStream(tenant, id)]);
      if (of === undefined) return undefined;
      facts.push(...of);
      if (of.some(({ revision }, at) => revision !== at)) withoutHistory.push(id);
    }
    if (facts.length > MAX_FACTS) return undefined;
    const bases = new Set(facts.flatMap(({ event }) => (event.type === 'DocumentSubmitted' ? [event.data.knowledgeBase] : [])));
    const ofBases = await this.#factsOf([...bases].map((id) => knowledgeBaseStream(tenant, id)));
    if (ofBases === undefined) return undefined;
    const scopes = new Map(documents.map(({ scope }) => [scopeKey(scope), scope]));
    for (const scope of scopes.values()) facts.push(...(await changes.generationsOf(scope)));
    return this.#projected(documents, [...facts, ...ofBases], withoutHistory);
  }

  async #factsOf(streams: readonly StreamName[]): Promise<Fact<DomainEvent>[] | undefined> {
    const found: Fact<DomainEvent>[] = [];
    for (const stream of streams)
      for await (const fact of this.#ports.journal.readStream(stream)) {
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
    const built = {
      documents,
      catalog,
      vectors: new KeptPuts<VectorPut>(),
      lexical: new KeptPuts<LexicalPut>(),
    };
    const projector = new ReadModelProjector({ journal, keys, ...built }, Tombstones.of(facts, this.#moment.tenant, withoutHistory));
    await projector.start(START);
    for (let at = 0; at < facts.length; at += STEP) {
      const some = facts.slice(at, at + STEP);
      const last = some.at(-1)?.position ?? this.#moment.position;
      await projector.write(await projector.prepare(some, last));
      await nextTurn(system.scheduler);
    }
    return built;
  }

  /** Makes what the set has of changed documents equal to what was built. */
  async #write(
    { documents, catalog, vectors, lexical }: Rebuilt,
    partitions: ReadonlyMap<string, readonly IndexPartition[]>,
  ): Promise<void> {
    const { scheduler } = this.#ports.system;
    const { tenant } = this.#moment;
    for (const partition of new Set(documents.flatMap(({ scope }) => partitions.get(scopeKey(scope)) ?? []))) {
      const key = scopeKey(partition.scope);
      const chunks = documents.flatMap(({ scope, chunks: of }) => (scopeKey(scope) === key ? [...of] : []));
      await Promise.all([
        this.#writeTo(
          this.#target.lexical,
          partition,
          chunks.map((chunk) => lexical.writeOf(partition, chunk)),
        ),
        this.#writeTo(
          this.#target.vectors,
          partition,
          chunks.map((chunk) => vectors.writeOf(partition, chunk)),
        ),
      ]);
    }
    for (const { id } of documents) {
      await this.#target.catalog.replaceItems({ tenant, documents: [id], knowledgeBases: [] }, catalog);
      await nextTurn(scheduler);
    }
    this.#scratch.delete(catalog);
    await catalog.close();
  }

  async #writeTo<P>(index: WrittenIndex<P>, partition: IndexPartition, writes: readonly (P | IndexRemoval)[]): Promise<void> {
    for (let at = 0; at < writes.length; at += WRITTEN_TOGETHER)
      await applyAt(index, partition, () => writes.slice(at, at + WRITTEN_TOGETHER), this.#moment.position);
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
