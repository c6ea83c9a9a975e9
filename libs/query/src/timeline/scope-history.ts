import type { Journal } from '@palimpsest/contracts';
import type { TimelineEntry } from '@palimpsest/contracts/http';
import { scopeStream } from '@palimpsest/knowledge/deciders';
import type { DomainEvent, Fact } from '@palimpsest/knowledge/events';
import { chunkListOf, type ChunkListId, type EmbeddingVersion, type GenerationId, type Position } from '@palimpsest/knowledge/values';
import type { TenantScope } from '@palimpsest/knowledge/values';

export type ModelEntry = Extract<TimelineEntry, { kind: 'model' }>;
type Generation = Readonly<{ id: GenerationId; embeddingVersion: EmbeddingVersion; chunkList: ChunkListId }>;

/** What the stream of a scope says about its generations, from the start. */
export class ScopeHistory {
  /** Missing until the first document was processed. */
  opened: Readonly<{ position: Position; at: string }> | undefined;
  readonly #entries = new Map<number, ModelEntry>();
  readonly #generations = new Map<GenerationId, Generation>();
  readonly #served = new Set<GenerationId>();
  readonly #activations: Readonly<{ position: Position; chunkList: ChunkListId }>[] = [];
  #active: Generation | undefined;

  static async read(journal: Journal, scope: TenantScope): Promise<ScopeHistory> {
    const history = new ScopeHistory();
    for await (const fact of journal.readStream(scopeStream(scope))) history.#add(fact);
    return history;
  }

  /** What the event with this revision in the stream of the scope changed. */
  entryAt(revision: number): ModelEntry | undefined {
    return this.#entries.get(revision);
  }

  /** The chunk list that searches saw at a position. Undefined if no generation had served yet. */
  chunkListAt(position: Position): ChunkListId | undefined {
    return this.#activations.findLast((activation) => activation.position < position)?.chunkList;
  }

  /** Whether the generations had more than one chunking. */
  get hasSeveralChunkLists(): boolean {
    return new Set([...this.#generations.values()].map(({ chunkList }) => chunkList)).size > 1;
  }

  #add(fact: Fact<DomainEvent>): void {
    const { event, position, recordedAt } = fact;
    switch (event.type) {
      case 'ScopeOpened':
        this.opened = { position, at: recordedAt };
        return;
      case 'GenerationStarted': {
        const { generation: id, recipe } = event.data;
        this.#generations.set(id, { id, embeddingVersion: recipe.embedding.version, chunkList: chunkListOf(recipe.chunking) });
        return this.#note(fact, id, 'started');
      }
      case 'GenerationActivated': {
        const { generation: id } = event.data;
        const change = this.#active && numberOf(id) < numberOf(this.#active.id) ? 'rolled-back' : 'activated';
        this.#active = this.#generations.get(id);
        this.#served.add(id);
        if (this.#active) this.#activations.push({ position, chunkList: this.#active.chunkList });
        return this.#note(fact, id, change);
      }
      case 'GenerationRetired': {
        const { generation: id } = event.data;
        return this.#note(fact, id, this.#served.has(id) ? 'retired' : 'cancelled');
      }
      default:
        return;
    }
  }

  #note({ position, recordedAt, revision }: Fact<DomainEvent>, id: GenerationId, change: ModelEntry['change']): void {
    const generation = this.#generations.get(id);
    if (!generation) return;
    const serving = this.#active && { generation: this.#active.id, embeddingVersion: this.#active.embeddingVersion };
    this.#entries.set(revision, {
      kind: 'model',
      position: String(position),
      at: recordedAt,
      change,
      generation: id,
      embeddingVersion: generation.embeddingVersion,
      chunkList: generation.chunkList,
      ...(serving ? { serving } : {}),
    });
  }
}

/** Generations are numbered in the order of their start. */
const numberOf = (id: GenerationId): number => Number(id.slice(1));
