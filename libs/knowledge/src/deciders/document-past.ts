import type { DocumentEvent, KnowledgeChunkIndexed, KnowledgeChunkReembedded } from '../events/document-events.ts';
import type { Fact } from '../events/event.ts';
import type { ChunkId } from '../values/ids.ts';
import type { ChunkListId } from '../values/recipe.ts';
import type { Position } from '../values/position.ts';
import type { EmbeddingVersion } from '../values/versions.ts';

/**
 * What can be removed of a document. `before`, `version`: as in `DocumentHistoryRemoved`. `positions`: of the events that are removed,
 * ascending. `keep`: revisions of events that must be repeated first, ascending. `uploads`: blobs that only removed versions have.
 */
export type RemovableHistory = Readonly<{
  before: number;
  version: number;
  positions: readonly Position[];
  keep: readonly number[];
  /** The chunks whose texts are repeated, now or before: an earlier attempt may have been interrupted. */
  kept: readonly ChunkId[];
  uploads: readonly string[];
  /** Lists of earlier removals whose events are removed now, as they encode them. */
  earlier: readonly string[];
}>;

type Submitted = Readonly<{ revision: number; position: Position; version: number; blob: string }>;
type Commit = Readonly<{ revision: number; position: Position; version: number; list: ChunkListId; chunks: readonly ChunkId[] }>;
type Deletion = Readonly<{ revision: number; position: Position; version: number }>;
/**
 * The last revision with the text of a chunk, with its vector of each model or the refusal, and with the refusal that no
 * `KnowledgeChunkReembedded` has followed. `overtaken`: the refusals that one has followed, each with its revision.
 */
type Content = {
  text: number;
  isKept: boolean;
  models: Map<EmbeddingVersion, number>;
  refusals: Map<EmbeddingVersion, number>;
  overtaken: (readonly [refusal: number, by: number])[];
};

/** Where everything is in the stream of a document. Contents are not kept: the stream can be far larger than the memory. */
export class DocumentPast {
  readonly #positions: Position[] = [];
  readonly #submitted: Submitted[] = [];
  readonly #commits: Commit[] = [];
  readonly #deletions: Deletion[] = [];
  readonly #contents = new Map<ChunkId, Content>();
  readonly #removals: Readonly<{ revision: number; positions: string }>[] = [];
  #first: number | undefined;

  /** Call for each fact of the stream, in order. */
  add({ event, revision, position }: Fact<DocumentEvent>): void {
    this.#first ??= revision;
    this.#positions.push(position);
    switch (event.type) {
      case 'DocumentSubmitted':
        this.#submitted.push({ revision, position, version: event.data.version, blob: event.data.blob });
        return;
      case 'DocumentIndexed': {
        const { version, chunkList: list, chunks } = event.data;
        this.#commits.push({ revision, position, version, list, chunks: chunks.map(({ chunkId }) => chunkId) });
        return;
      }
      case 'DocumentDeleted':
        this.#deletions.push({ revision, position, version: event.data.version });
        return;
      case 'KnowledgeChunkIndexed':
        this.#textAt(event.data, revision);
        return;
      case 'KnowledgeChunkReembedded':
        this.#embeddedAt(event.data, revision);
        return;
      case 'KnowledgeChunkReembedFailed':
        this.#content(event.data.chunkId).models.set(event.data.embeddingVersion, revision);
        this.#content(event.data.chunkId).refusals.set(event.data.embeddingVersion, revision);
        return;
      case 'DocumentHistoryRemoved':
        this.#removals.push({ revision, positions: event.data.positions });
        return;
      default:
    }
  }

  /**
   * Nothing if all of it belongs to what a search as of `upTo` or later can find. `later`: a refusal would have to be repeated after the
   * vector that overtook it.
   */
  removable(upTo: Position): RemovableHistory | 'later' | undefined {
    const from = this.#firstNeeded(upTo);
    if (from === undefined || this.#first === undefined || from.revision <= this.#first) return undefined;
    const { revision: before, version } = from;
    if (this.#isOvertakenAfter(before)) return 'later';
    const stays = new Set(this.#submitted.flatMap(({ revision, blob }) => (revision < before ? [] : [blob])));
    const left = this.#submitted.flatMap(({ revision, blob }) => (revision < before && !stays.has(blob) ? [blob] : []));
    return {
      before,
      version,
      positions: this.#positions.slice(0, before - this.#first),
      ...this.#contentToKeep(before),
      uploads: [...new Set(left)],
      earlier: this.#removals.flatMap(({ revision, positions }) => (revision < before ? [positions] : [])),
    };
  }

  /** What the document was at that position begins there: with its deletion, or with the submission of a version that it had. */
  #firstNeeded(upTo: Position): Readonly<{ revision: number; version: number }> | undefined {
    const [submission] = this.#submitted.filter(({ position }) => position <= upTo).slice(-1);
    const [deletion] = this.#deletions.filter(({ position }) => position <= upTo).slice(-1);
    if (deletion && deletion.revision > (submission?.revision ?? -1)) return { revision: deletion.revision, version: deletion.version + 1 };
    if (submission === undefined) return undefined;
    // Lists of generations that were retired stay behind at an earlier version: nothing reads them any more.
    const indexed = this.#commits.filter(({ position, revision }) => position <= upTo && revision > (deletion?.revision ?? -1));
    const served = Math.max(0, ...indexed.map(({ version }) => version));
    const first = this.#submitted.find(({ version, revision }) => version === served && revision > (deletion?.revision ?? -1));
    return first && first.revision < submission.revision ? first : submission;
  }

  #isOvertakenAfter(before: number): boolean {
    const overtaken = [...this.#neededFrom(before)].flatMap((id) => this.#contents.get(id)?.overtaken ?? []);
    return overtaken.some(([refusal, by]) => refusal < before && by >= before);
  }

  #neededFrom(before: number): ReadonlySet<ChunkId> {
    return new Set(this.#commits.filter(({ revision }) => revision >= before).flatMap(({ chunks }) => chunks));
  }

  /** The contents of needed chunks whose place is removed. */
  #contentToKeep(before: number): Pick<RemovableHistory, 'keep' | 'kept'> {
    const needed = this.#neededFrom(before);
    const revisions = new Set<number>();
    const kept: ChunkId[] = [];
    for (const id of needed) {
      const content = this.#contents.get(id);
      if (content === undefined) continue;
      const { text, isKept, models, refusals } = content;
      if (isKept || text < before) kept.push(id);
      for (const revision of [text, ...models.values(), ...refusals.values()])
        if (revision >= 0 && revision < before) revisions.add(revision);
    }
    return { keep: [...revisions].sort((a, b) => a - b), kept };
  }

  #textAt({ chunkId, embeddingVersion, keptFrom }: KnowledgeChunkIndexed['data'], revision: number): void {
    const content = this.#content(chunkId);
    content.text = revision;
    content.isKept = keptFrom !== undefined;
    content.models.set(embeddingVersion, revision);
  }

  #embeddedAt({ chunkId, embeddingVersion }: KnowledgeChunkReembedded['data'], revision: number): void {
    const { models, refusals, overtaken } = this.#content(chunkId);
    models.set(embeddingVersion, revision);
    const refusal = refusals.get(embeddingVersion);
    if (refusal === undefined) return;
    overtaken.push([refusal, revision]);
    refusals.delete(embeddingVersion);
  }

  #content(id: ChunkId): Content {
    const known = this.#contents.get(id);
    if (known) return known;
    const content: Content = { text: -1, isKept: false, models: new Map(), refusals: new Map(), overtaken: [] };
    this.#contents.set(id, content);
    return content;
  }
}
