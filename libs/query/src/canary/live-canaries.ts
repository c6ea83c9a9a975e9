import { InMemoryProjection, type Journal } from '@palimpsest/contracts';
import type { System } from '@palimpsest/foundation';
import type { CanaryEnded, CanaryStarted } from '@palimpsest/knowledge/canary';
import { projection, type Fact } from '@palimpsest/knowledge/events';
import { scopeKey, START } from '@palimpsest/knowledge/values';
import type { GenerationId, Position, TenantScope } from '@palimpsest/knowledge/values';
import { placeOf, type CanaryRouting } from './canary-routing.ts';

type Serving = Readonly<{ generation: GenerationId; share: number; cutOverAt?: Position }>;
type Parts = Readonly<{
  journal: Journal;
  system: Pick<System, 'scheduler'>;
  onFault: (error: unknown, about: string) => void;
}>;

/** In-memory projection of the canaries: every process that answers queries follows the log. */
export class LiveCanaries implements CanaryRouting {
  readonly #parts: Parts;
  readonly #projection: InMemoryProjection;
  readonly #serving = new Map<string, Serving>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#projection = new InMemoryProjection(
      parts.journal,
      projection('canaries', { CanaryStarted: (fact) => this.#started(fact), CanaryEnded: (fact) => this.#ended(fact) }),
      parts.system.scheduler,
    );
  }

  start(): Promise<void> {
    return this.#projection.start(START, (error) => this.#parts.onFault(error, 'following canaries'));
  }

  stop(): Promise<void> {
    return this.#projection.stop();
  }

  /** Resolves when everything up to `position` holds in this process. */
  reached(position: Position): Promise<void> {
    return this.#projection.reached(position);
  }

  generationFor(scope: TenantScope, caller: string, at: Position): GenerationId | undefined {
    const serving = this.#serving.get(scopeKey(scope));
    if (serving === undefined || (serving.cutOverAt !== undefined && at >= serving.cutOverAt)) return undefined;
    return placeOf(scope, serving.generation, caller) < serving.share ? serving.generation : undefined;
  }

  #started({ event: { data }, metadata: { tenant } }: Fact<CanaryStarted>): void {
    this.#serving.set(scopeKey({ tenant, scope: data.scope }), { generation: data.generation, share: data.share });
  }

  #ended({ event: { data }, metadata: { tenant }, position }: Fact<CanaryEnded>): void {
    const key = scopeKey({ tenant, scope: data.scope });
    const serving = this.#serving.get(key);
    // The callers are not returned for the moment until the catalog of this process reflects the cut-over.
    if (serving && data.reason === 'cut-over') this.#serving.set(key, { ...serving, cutOverAt: position });
    else this.#serving.delete(key);
  }
}
