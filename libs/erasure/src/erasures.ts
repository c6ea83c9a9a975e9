import { InMemoryProjection, type Journal } from '@palimpsest/contracts';
import type { System } from '@palimpsest/foundation';
import { projection } from '@palimpsest/knowledge/events';
import { START, type Position } from '@palimpsest/knowledge/values';
import { keyOf, type Erased } from './log-records.ts';

type Parts = Readonly<{
  journal: Journal;
  system: Pick<System, 'scheduler'>;
  onFault: (error: unknown, about: string) => void;
  onCompleted: (of: Erased) => void;
}>;

/** In-memory projection of the erasures that are not complete. */
export class Erasures {
  readonly #projection: InMemoryProjection;
  readonly #parts: Parts;
  readonly #open = new Map<string, Erased>();
  #version = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#projection = new InMemoryProjection(
      parts.journal,
      projection('erasures', {
        ScopeErasureRequested: ({ event: { data }, metadata: { tenant } }) => this.#add({ tenant, scope: data.scope }),
        ScopeErased: () => undefined,
        ScopeErasureCompleted: ({ event: { data }, metadata: { tenant } }) => this.#remove({ tenant, scope: data.scope }),
        TenantErasureRequested: ({ metadata: { tenant } }) => this.#add({ tenant, whole: true }),
        TenantErased: () => undefined,
        TenantErasureCompleted: ({ metadata: { tenant } }) => this.#remove({ tenant, whole: true }),
        SubjectErasureRequested: ({ event: { data }, metadata: { tenant } }) => this.#add({ tenant, subject: data.subject }),
        SubjectErased: () => undefined,
        SubjectErasureCompleted: ({ event: { data }, metadata: { tenant } }) => this.#remove({ tenant, subject: data.subject }),
      }),
      parts.system.scheduler,
    );
  }

  start(): Promise<void> {
    return this.#projection.start(START, (error) => this.#parts.onFault(error, 'following the erasures'));
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

  open(): readonly Erased[] {
    return [...this.#open.values()];
  }

  #add(of: Erased): void {
    this.#version += 1;
    this.#open.set(keyOf(of), of);
  }

  #remove(of: Erased): void {
    this.#version += 1;
    this.#open.delete(keyOf(of));
    this.#parts.onCompleted(of);
  }
}
