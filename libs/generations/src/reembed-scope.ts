import type { Journal } from '@palimpsest/contracts';
import { getReembedding, retireGeneration, startReembedding } from '@palimpsest/contracts/routes/operation';
import { permittedScope } from '@palimpsest/knowledge/access';
import { activeGeneration, comingGeneration, scope as decider, scopeStream } from '@palimpsest/knowledge/deciders';
import { NotFound } from '@palimpsest/knowledge/errors';
import { command, NO_ROWS, on, query, type UseCase } from '@palimpsest/knowledge/messages';
import type { Access } from '@palimpsest/knowledge/access';
import type { Generation } from '@palimpsest/knowledge/deciders';
import type { EmbeddingProviders } from '@palimpsest/knowledge/ports';
import type { Catalog, VectorIndex } from '@palimpsest/knowledge/read-models';
import type { GenerationId, Position, TenantScope, VectorScope } from '@palimpsest/knowledge/values';
import { startSwap } from './start-swap.ts';

export type ReembeddingStarted = Readonly<{ generation: Generation; position: Position; documents: number }>;
/**
 * `total`, `done` and `withoutVector` count chunks. `withoutVector`: chunks that the model rejected; only lexical search finds them.
 * `state` is `idle` if no generation is being built and searches use the generation that is active on the log. After a switch, searches
 * use the previous generation until the catalog has processed the event.
 */
export type ReembeddingProgress = Readonly<{
  generation: Generation;
  state: 'idle' | 'building';
  total: number;
  done: number;
  withoutVector: number;
}>;

export type ReembedScopePorts = Readonly<{
  journal: Journal;
  catalog: Catalog;
  vectors: VectorIndex;
  providers: EmbeddingProviders;
  now: () => string;
  /** Whether swaps need an approved plan. */
  requirePlan?: boolean;
}>;

const named = { scopes: ({ scope }: Readonly<{ scope: VectorScope }>) => [scope] };

export class StartReembedding extends command<Readonly<{ scope: VectorScope }>, ReembeddingStarted>(startReembedding, named) {}
export class RetireGeneration extends command<Readonly<{ scope: VectorScope; generation: GenerationId }>, Position>(
  retireGeneration,
  named,
) {}
export class GetReembedding extends query<Readonly<{ scope: VectorScope }>, ReembeddingProgress>(getReembedding, {
  ...named,
  ...NO_ROWS,
}) {}

/** Moves a scope to the current model, with an automatic cut-over. */
export class ReembedScope implements UseCase {
  readonly handlers = [
    on(StartReembedding, ({ access, input: { scope }, correlationId }) => this.start(access, scope, correlationId)),
    on(GetReembedding, ({ access, input: { scope } }) => this.progress(access, scope)),
    on(RetireGeneration, ({ access, input: { scope, generation }, correlationId }) =>
      this.retire(access, scope, generation, correlationId),
    ),
  ];
  readonly #ports: ReembedScopePorts;

  constructor(ports: ReembedScopePorts) {
    this.#ports = ports;
  }

  /** Starts the generation; the worker reacts to the event. @throws NotFound, Conflict */
  async start(access: Access, name: VectorScope, correlationId: string): Promise<ReembeddingStarted> {
    const scope = permittedScope(access, name);
    const { documents, chunks } = await this.#ports.catalog.countsIn([scope]);
    const { state, position } = await startSwap(this.#ports, scope, { actor: access.actor, correlationId }, { chunks });
    const generation = comingGeneration(state) ?? activeGeneration(state);
    if (!generation) throw new NotFound('scope', name);
    return { generation, position, documents: documents.indexed };
  }

  /** @throws NotFound */
  async progress(access: Access, name: VectorScope): Promise<ReembeddingProgress> {
    const { journal, catalog, vectors } = this.#ports;
    const scope = permittedScope(access, name);
    const { state } = await journal.load(decider, scopeStream(scope));
    const coming = comingGeneration(state);
    const generation = coming ?? activeGeneration(state);
    if (!generation) throw new NotFound('scope', name);
    const { chunks: total } = await catalog.countsIn([scope]);
    const serves = await this.#serves(scope, generation);
    const done = await vectors.count({ scope, generation: generation.id });
    // An active generation lacks only the chunks that the model rejected.
    const idle = !coming && serves;
    return { generation, state: idle ? 'idle' : 'building', total, done, withoutVector: idle ? Math.max(0, total - done) : 0 };
  }

  async #serves({ tenant, scope }: TenantScope, { id }: Generation): Promise<boolean> {
    const known = (await this.#ports.catalog.scopes(tenant)).find((view) => view.scope.scope === scope);
    return known?.generations.some((one) => one.id === id && one.status === 'active') === true;
  }

  /**
   * Retires a generation that is not active: deletes its indexes and stops embedding for it. This cannot be undone.
   * @throws NotFound; Conflict if the generation is active
   */
  async retire(access: Access, name: VectorScope, generation: GenerationId, correlationId: string): Promise<Position> {
    const { journal, now } = this.#ports;
    const scope = permittedScope(access, name);
    const command = { type: 'Retire' as const, scope: name, generation, now: now() };
    const { position } = await journal.execute(decider, scopeStream(scope), command, { ...scope, actor: access.actor, correlationId });
    return position;
  }
}
