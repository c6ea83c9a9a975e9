import { liveGenerations, scope as scopeDecider } from '@palimpsest/knowledge/deciders';
import { projection } from '@palimpsest/knowledge/events';
import { chunkListOf, scopeKey, START } from '@palimpsest/knowledge/values';
import type { Journal } from '@palimpsest/contracts';
import type { Generation, Scope } from '@palimpsest/knowledge/deciders';
import type { DomainEvent, Fact, ScopeEvent } from '@palimpsest/knowledge/events';
import type { Catalog } from '@palimpsest/knowledge/read-models';
import type { ChunkListId, Position, TenantScope } from '@palimpsest/knowledge/values';

/** The events that change the generations of a scope. */
export type GenerationEvent = Extract<
  ScopeEvent,
  { type: 'GenerationStarted' | 'GenerationBuilt' | 'GenerationActivated' | 'GenerationRetired' | 'ScopeErased' }
>;

export const generationProjection = projection<'generations', ScopeGenerations, void>('generations', {
  GenerationStarted: (fact, generations) => generations.evolve(fact),
  GenerationBuilt: (fact, generations) => generations.evolve(fact),
  GenerationActivated: (fact, generations) => generations.evolve(fact),
  GenerationRetired: (fact, generations) => generations.evolve(fact),
  ScopeErased: (fact, generations) => generations.evolve(fact),
});

export const isGenerationEvent = (event: DomainEvent): event is GenerationEvent => generationProjection.handles.includes(event.type);

/** The generations of each scope, as of the position of the projection. */
export class ScopeGenerations {
  readonly #scopes = new Map<string, Scope>();

  /** Starts with the generations in the catalog, which is never behind the indexes. */
  async load(catalog: Catalog): Promise<void> {
    this.#scopes.clear();
    for (const { scope, generations } of await catalog.scopes()) this.#scopes.set(scopeKey(scope), { opened: true, generations });
  }

  /**
   * Starts with the generations as of a position. After a kill the catalog can be ahead of it: with its generations, documents would be
   * written for those that start later without them.
   */
  async loadAsOf(position: Position, catalog: Catalog, journal: Journal): Promise<void> {
    if (position >= (await catalog.position())) return this.load(catalog);
    this.#scopes.clear();
    if (position === START) return;
    for await (const fact of journal.readAll({ upTo: position, types: generationProjection.handles }))
      generationProjection.project(fact, this);
  }

  evolve({ event, metadata, revision }: Fact<GenerationEvent>): void {
    const key = scopeKey({ tenant: metadata.tenant, scope: event.data.scope });
    const before = this.#scopes.get(key) ?? scopeDecider.initial();
    this.#scopes.set(key, scopeDecider.evolve(before, event, revision));
  }

  live(scope: TenantScope): readonly Generation[] {
    return liveGenerations(this.#scopes.get(scopeKey(scope)) ?? scopeDecider.initial());
  }

  /** Only the last generation of an erased scope is retired. */
  isErased(scope: TenantScope): boolean {
    const { generations = [] } = this.#scopes.get(scopeKey(scope)) ?? {};
    return generations.length > 0 && generations.every(({ status }) => status === 'retired');
  }

  /** The live generations that contain this chunk list of each document. */
  liveWith(scope: TenantScope, list: ChunkListId): readonly Generation[] {
    return this.live(scope).filter(({ recipe }) => chunkListOf(recipe.chunking) === list);
  }

  /** Whether the read models have this chunk list. A list whose last generation was retired is deleted, and made again by the next swap to it. */
  hasList(scope: TenantScope, list: ChunkListId): boolean {
    return !this.#scopes.has(scopeKey(scope)) || this.liveWith(scope, list).length > 0;
  }
}
