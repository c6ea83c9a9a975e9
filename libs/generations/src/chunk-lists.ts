import type { Journal } from '@palimpsest/contracts';
import { activeGeneration, document as decider, documentStream } from '@palimpsest/knowledge/deciders';
import { chunkListOf } from '@palimpsest/knowledge/values';
import type { Generation, Scope } from '@palimpsest/knowledge/deciders';
import type { ChunkText } from '@palimpsest/knowledge/events';
import type { Catalog } from '@palimpsest/knowledge/read-models';
import type { ChunkListId, DocumentId, Recipe, TenantScope } from '@palimpsest/knowledge/values';
import type { Run } from './run.ts';
import { FULL_SPEED, type Gate, type Turns } from './throttle/turns.ts';

/** A chunk that another chunking would give. `isEmbedded`: the log has its vector of the recipe's model. */
export type PreviewedChunk = Readonly<{ content: ChunkText; isEmbedded: boolean }>;

/** `present`: chunks of the document now. `chunks`: missing if it would keep them. */
export type PreviewOfDocument = Readonly<{ present: number; chunks?: readonly PreviewedChunk[] }>;

/** Chunks documents again from their stored uploads, for the version that they have in the list `of`. Implemented by ingestion. */
export type Rechunking = Readonly<{
  /** `gate` is called before each step, and may throw to stop it. */
  run(work: {
    scope: TenantScope;
    documentId: DocumentId;
    of: ChunkListId;
    generation: Generation;
    correlationId: string;
    signal: AbortSignal;
    gate: () => Promise<void>;
  }): Promise<Readonly<{ tokens: number }>>;
  /** What `run` would give. Undefined if the document was deleted. Records nothing. */
  preview(work: {
    scope: TenantScope;
    documentId: DocumentId;
    of: ChunkListId;
    recipe: Recipe;
    signal: AbortSignal;
  }): Promise<PreviewOfDocument | undefined>;
}>;

export type ChunkListPorts = Readonly<{
  journal: Journal;
  catalog: Pick<Catalog, 'listedVersions'>;
  rechunk: Pick<Rechunking, 'run'>;
}>;

/** The lists that were made, and the tokens that were embedded for them. */
export type MadeLists = Readonly<{ lists: number; tokens: number }>;

/** Gives documents the chunk lists that generations need in addition to that of the active one. */
export class ChunkLists {
  readonly #ports: ChunkListPorts;
  readonly #run: Run;
  readonly #gate: Gate;
  readonly #turns: Turns;
  readonly #served: ChunkListId | undefined;
  readonly #wanted: readonly Generation[];
  #made: MadeLists = { lists: 0, tokens: 0 };

  /** `generations`: those whose model is configured. */
  constructor(ports: ChunkListPorts, run: Run, state: Scope, generations: readonly Generation[], gate: Gate, turns: Turns = FULL_SPEED) {
    this.#ports = ports;
    this.#run = run;
    this.#gate = gate;
    this.#turns = turns;
    const active = activeGeneration(state);
    this.#served = active && chunkListOf(active.recipe.chunking);
    const lists = new Map(generations.map((generation) => [chunkListOf(generation.recipe.chunking), generation]));
    this.#wanted = [...lists].flatMap(([list, generation]) => (list === this.#served ? [] : [generation]));
  }

  get made(): MadeLists {
    return this.#made;
  }

  /** Makes the lists that the read models lack, or have for an earlier version. They must be caught up. Returns whether it made one. */
  async add(id: DocumentId): Promise<boolean> {
    const { catalog } = this.#ports;
    const { scope } = this.#run;
    const { lists } = this.#made;
    for (const generation of this.#wanted) {
      if (this.#served === undefined) break;
      const list = chunkListOf(generation.recipe.chunking);
      const shown = (await catalog.listedVersions(scope, this.#served, [id])).get(id) ?? 0;
      const known = (await catalog.listedVersions(scope, list, [id])).get(id) ?? 0;
      if (known < shown) await this.#make(id, generation, this.#served);
    }
    return this.#made.lists > lists;
  }

  /** Makes the lists that the log lacks: the read models may not have the document yet. */
  async addNow(id: DocumentId): Promise<void> {
    const { state } = await this.#ports.journal.load(decider, documentStream(this.#run.scope.tenant, id));
    const served = this.#served && state.lists.get(this.#served);
    for (const generation of this.#wanted) {
      const known = state.lists.get(chunkListOf(generation.recipe.chunking));
      if (served && this.#served && (known?.version ?? 0) < served.version) await this.#make(id, generation, this.#served);
    }
  }

  async #make(documentId: DocumentId, generation: Generation, of: ChunkListId): Promise<void> {
    const { scope, correlationId, signal } = this.#run;
    const work = { scope, documentId, of, generation, correlationId, signal, gate: this.#gate };
    const endTurn = await this.#turns.next(signal, this.#gate);
    const { tokens } = await this.#ports.rechunk.run(work).finally(endTurn);
    this.#made = { lists: this.#made.lists + 1, tokens: this.#made.tokens + tokens };
  }
}
