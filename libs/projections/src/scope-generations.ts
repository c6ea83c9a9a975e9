import { liveGenerations, scope as scopeDecider, scopeKey } from '@palimpsest/knowledge';
import type { Catalog, DomainEvent, Fact, Generation, Scope, ScopeEvent, TenantScope } from '@palimpsest/knowledge';

const SCOPE_EVENTS: ReadonlySet<string> = new Set<ScopeEvent['type']>(['ScopeOpened', 'GenerationStarted', 'GenerationActivated', 'GenerationRetired']);

export const isScopeEvent = (event: DomainEvent): event is ScopeEvent => SCOPE_EVENTS.has(event.type);

/** Which generations each scope has, as far as the projection has come. */
export class ScopeGenerations {
  readonly #scopes = new Map<string, Scope>();

  /** Starts from what the catalogue knows: it is never behind the index projection. */
  async load(catalog: Catalog): Promise<void> {
    this.#scopes.clear();
    for (const { scope, generations } of await catalog.scopes()) this.#scopes.set(scopeKey(scope), { opened: true, generations });
  }

  evolve({ event, metadata, revision }: Fact<ScopeEvent>): void {
    const key = scopeKey({ tenant: metadata.tenant, scope: event.data.scope });
    const before = this.#scopes.get(key) ?? scopeDecider.initial();
    // The catalogue may be ahead of a replayed event: what it knows already is not added twice.
    if (event.type === 'GenerationStarted' && before.generations.some(({ id }) => id === event.data.generation)) return;
    this.#scopes.set(key, scopeDecider.evolve(before, event, revision));
  }

  live(scope: TenantScope): readonly Generation[] {
    return liveGenerations(this.#scopes.get(scopeKey(scope)) ?? scopeDecider.initial());
  }
}
