import { InMemoryProjection, type Journal } from '@palimpsest/contracts';
import type { System } from '@palimpsest/foundation';
import { projection } from '@palimpsest/knowledge/events';
import { scopeKey, START, type Position, type TenantId, type TenantScope, type VectorScope } from '@palimpsest/knowledge/values';

type Parts = Readonly<{
  journal: Journal;
  system: Pick<System, 'scheduler'>;
  onFault: (error: unknown, about: string) => void;
  onCompleted: (scope: TenantScope) => void;
}>;

/** In-memory projection of the erasures that are not complete. */
export class Erasures {
  readonly #projection: InMemoryProjection;
  readonly #parts: Parts;
  readonly #open = new Map<string, TenantScope>();
  #version = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#projection = new InMemoryProjection(
      parts.journal,
      projection('erasures', {
        ScopeErasureRequested: ({ event: { data }, metadata: { tenant } }) => this.#add({ tenant, scope: data.scope }),
        ScopeErased: () => undefined,
        ScopeErasureCompleted: ({ event: { data }, metadata: { tenant } }) => this.#remove(tenant, data.scope),
      }),
      parts.system.scheduler,
    );
  }

  start(): Promise<void> {
    return this.#projection.start(START, (error) => this.#parts.onFault(error, 'following the erasures of scopes'));
  }

  stop(): Promise<void> {
    return this.#projection.stop();
  }

  async reached(position: Position, timeoutMs?: number): Promise<void> {
    await this.#projection.reached(position, timeoutMs);
  }

  /** Grows with each change. */
  get version(): number {
    return this.#version;
  }

  open(): readonly TenantScope[] {
    return [...this.#open.values()];
  }

  #add(scope: TenantScope): void {
    this.#version += 1;
    this.#open.set(scopeKey(scope), scope);
  }

  #remove(tenant: TenantId, scope: VectorScope): void {
    this.#version += 1;
    this.#open.delete(scopeKey({ tenant, scope }));
    this.#parts.onCompleted({ tenant, scope });
  }
}
