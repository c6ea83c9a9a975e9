import type { Journal } from '@palimpsest/contracts';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import type { EventLog, RecordedEvent } from '@palimpsest/knowledge/ports';
import { scopeKey } from '@palimpsest/knowledge/values';
import type { DomainEvent, Fact } from '@palimpsest/knowledge/events';
import type { ChunkId, DocumentId, EmbeddingVersion, KnowledgeBaseId, Position, TenantId, VectorScope } from '@palimpsest/knowledge/values';
import type { CausingEvent } from './cause.ts';

/** Facts that are read at most. */
const MAX_FACTS = 100_000;

const TYPES = ['DocumentIndexed', 'DocumentDeleted', 'KnowledgeChunkReembedded', 'GenerationActivated', 'KnowledgeBaseConfigured'] as const;

type Range = Readonly<{ tenant: TenantId; scopes: readonly VectorScope[]; from: Position; upTo: Position }>;

/** What happened to a document, in order: the chunks that came and went, and the event. */
type DocumentChange = CausingEvent &
  Readonly<{ scope: VectorScope; version: number; deleted: boolean; written: ReadonlySet<ChunkId>; removed: ReadonlySet<ChunkId> }>;

/** What happened in some scopes between two positions, as far as searches depend on it. */
export class ChangesBetween {
  readonly documents = new Map<DocumentId, DocumentChange[]>();
  readonly activated = new Map<VectorScope, CausingEvent[]>();
  /** Since when documents of a knowledge base without a language may be read in another one. */
  readonly configured = new Map<KnowledgeBaseId, CausingEvent[]>();
  readonly #reembedded = new Map<string, CausingEvent[]>();
  /** Facts that were read; `truncated`: there were more. */
  facts = 0;
  truncated = false;

  /** @param from exclusive */
  static async read(journal: Journal, range: Range, maxFacts = MAX_FACTS): Promise<ChangesBetween> {
    const changes = new ChangesBetween();
    await changes.extend(journal, range, maxFacts);
    return changes;
  }

  /** Reads on. @param from exclusive; everything up to it was read before */
  async extend(journal: Journal, { tenant, scopes, from, upTo }: Range, maxFacts = MAX_FACTS): Promise<void> {
    if (from >= upTo || this.truncated) return;
    const wanted = new Set<string>(scopes.map((scope) => scopeKey({ tenant, scope })));
    for await (const recorded of between(journal.log, from, upTo)) {
      const { tenant: owner, scope } = recorded.metadata;
      if (owner !== tenant || typeof scope !== 'string' || !wanted.has(scopeKey({ tenant, scope: scope as VectorScope }))) continue;
      if (++this.facts > maxFacts) {
        this.truncated = true;
        break;
      }
      this.#learn(await journal.decode(recorded), scope as VectorScope);
    }
  }

  /** What happened in a part of it. @param from exclusive */
  within({ scopes, from, upTo }: Omit<Range, 'tenant'>): ChangesBetween {
    const part = new ChangesBetween();
    part.truncated = this.truncated;
    const copy = <Key, Change extends CausingEvent>(
      all: ReadonlyMap<Key, readonly Change[]>,
      to: Map<Key, Change[]>,
      isWanted: (change: Change) => boolean = () => true,
    ): void => {
      for (const [key, changes] of all) {
        const inside = changes.filter((change) => change.position > from && change.position <= upTo && isWanted(change));
        if (inside.length > 0) to.set(key, inside);
      }
    };
    copy(this.documents, part.documents, ({ scope }) => scopes.includes(scope));
    copy(this.activated, part.activated);
    copy(this.configured, part.configured);
    copy(this.#reembedded, part.#reembedded);
    return part;
  }

  /** A vector of a chunk was recorded in between, by this model. */
  reembedded(chunk: ChunkId, version: EmbeddingVersion): readonly CausingEvent[] {
    return this.#reembedded.get(keyOf(chunk, version)) ?? [];
  }

  #learn(fact: Fact<DomainEvent>, scope: VectorScope): void {
    const { event, position, recordedAt: at } = fact;
    const causing: CausingEvent = { position, type: event.type, at };
    if (event.type === 'DocumentIndexed' || event.type === 'DocumentDeleted') {
      const { documentId, version } = event.data;
      const [written, removed] = event.type === 'DocumentIndexed' ? [event.data.written, event.data.removed] : [[], event.data.chunks];
      const change = {
        ...causing,
        scope,
        version,
        deleted: event.type === 'DocumentDeleted',
        written: new Set(written),
        removed: new Set(removed),
      };
      push(this.documents, documentId, change);
    } else if (event.type === 'KnowledgeChunkReembedded' && event.data.keptFrom === undefined)
      push(this.#reembedded, keyOf(event.data.chunkId, event.data.embeddingVersion), causing);
    else if (event.type === 'GenerationActivated') push(this.activated, scope, causing);
    else if (event.type === 'KnowledgeBaseConfigured') push(this.configured, event.data.id, causing);
  }
}

const keyOf = (chunk: ChunkId, version: EmbeddingVersion): string => `${chunk} ${version}`;

/** A moment that a caller asked for may be a position that the log never assigned, and some logs do not read from one. */
async function* between(log: EventLog, from: Position, upTo: Position): AsyncIterable<RecordedEvent> {
  try {
    yield* log.readAll({ from, upTo, types: TYPES });
  } catch (error) {
    if (!(error instanceof InvalidValue && error.field === 'position')) throw error;
    for await (const event of log.readAll({ upTo, types: TYPES })) if (event.position > from) yield event;
  }
}

const push = <Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void => {
  const known = map.get(key);
  if (known) known.push(value);
  else map.set(key, [value]);
};
