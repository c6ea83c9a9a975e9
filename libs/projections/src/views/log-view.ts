import type { Journal } from '@palimpsest/contracts';
import type { System } from '@palimpsest/foundation';
import type { Catalog, LexicalPut, VectorPut } from '@palimpsest/knowledge/read-models';
import type { Position } from '@palimpsest/knowledge/values';
import type { ReadModelStores } from '../read-model-stores.ts';
import { Tombstones } from '../tombstones.ts';
import { DigestIndex } from './digest-index.ts';
import { refuseIncomplete } from './removed-history.ts';
import { ViewBuild, type BuildPace } from './view-build.ts';

/** Digests of what an index holds for a chunk. Functions of the adapters, so that a view and an index use the same. */
export type Digests = Readonly<{ vector: (put: VectorPut) => string; lexical: (put: LexicalPut) => string }>;

type Sources = Pick<ReadModelStores, 'journal' | 'keys' | 'catalog'>;

/** `signal`: ends the build. */
type Options = Readonly<{ system?: System; signal?: AbortSignal }>;

const UNHURRIED: BuildPace = { batch: () => 128, next: () => Promise.resolve() };

/**
 * The read models as of a position, made only from the log: a scratch catalog, and the digests of the index entries. It can be compared
 * with other read models, not searched, and it can be built further. Close it after use: its catalog has files.
 */
export class LogView {
  readonly catalog: Catalog;
  readonly vectors: DigestIndex<VectorPut>;
  readonly lexical: DigestIndex<LexicalPut>;
  readonly #build: ViewBuild;
  readonly #journal: Journal;
  #pace = UNHURRIED;
  #position: Position;

  private constructor({ journal, keys }: Sources, scratch: Catalog, digests: Digests, { system, signal }: Options) {
    this.#journal = journal;
    this.catalog = scratch;
    this.vectors = new DigestIndex('vectors', digests.vector);
    this.lexical = new DigestIndex('lexical', digests.lexical);
    const { catalog, vectors, lexical } = this;
    this.#build = new ViewBuild(
      { journal, keys, catalog, vectors, lexical },
      {
        ...(signal ? { signal } : {}),
        tombstones: (from, upTo) => Tombstones.until(journal, upTo, from),
        pace: { batch: () => this.#pace.batch(), next: (facts, signal) => this.#pace.next(facts, signal) },
      },
      system,
    );
    this.#position = this.#build.position;
  }

  /** A view of the start of the log. */
  static async open(sources: Sources, digests: Digests, options: Options = {}): Promise<LogView> {
    return new LogView(sources, await sources.catalog.createScratch(), digests, options);
  }

  get position(): Position {
    return this.#position;
  }

  /** Entries of both indexes: about 150 bytes of memory each. */
  get size(): number {
    return this.vectors.size + this.lexical.size;
  }

  /** Reads only the facts since its position. After a failure it is of no use. */
  async upTo(position: Position, pace: BuildPace = UNHURRIED): Promise<void> {
    if (position <= this.#position) return;
    this.#pace = pace;
    const began = await this.#journal.log.head();
    await this.#build.upTo(position);
    await refuseIncomplete(this.#journal, began);
    this.#position = position;
  }

  close(): Promise<void> {
    return this.catalog.close();
  }
}
