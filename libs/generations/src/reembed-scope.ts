import type { Journal } from '@palimpsest/contracts';
import { getReembedding, retireGeneration, startReembedding } from '@palimpsest/contracts/routes/operation';
import { permittedScope } from '@palimpsest/knowledge/access';
import { activeGeneration, liveGenerations, scope as decider, scopeStream } from '@palimpsest/knowledge/deciders';
import { EmbeddingModelMismatch, NotFound } from '@palimpsest/knowledge/errors';
import { command, NO_ROWS, on, query, type UseCase } from '@palimpsest/knowledge/messages';
import type { Access } from '@palimpsest/knowledge/access';
import type { Generation } from '@palimpsest/knowledge/deciders';
import type { EventMetadata } from '@palimpsest/knowledge/events';
import type { EmbeddingProviders } from '@palimpsest/knowledge/ports';
import type { Catalog, ReadModels, VectorIndex } from '@palimpsest/knowledge/read-models';
import type { DocumentId, GenerationId, Position, Recipe, TenantId, TenantScope, VectorScope } from '@palimpsest/knowledge/values';
import type { ReembedDocument } from './reembed-document.ts';

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
  readModels: ReadModels;
  providers: EmbeddingProviders;
  documents: ReembedDocument;
  now: () => string;
}>;

const PAGE = 100;
/** How often work that waits for the read models checks its signal, in milliseconds. */
const CHECK_MS = 5_000;

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

/** Moves a scope to the current model: builds a generation alongside the old one, then switches with one event. */
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
    const { journal, now, catalog } = this.#ports;
    const scope = permittedScope(access, name);
    const command = { type: 'StartGeneration' as const, scope: name, recipe: await this.#recipe(scope), now: now() };
    const { state, position } = await journal.execute(decider, scopeStream(scope), command, {
      ...scope,
      actor: access.actor,
      correlationId,
    });
    const generation = state.generations.find(({ status }) => status === 'building') ?? activeGeneration(state);
    if (!generation) throw new NotFound('scope', name);
    let documents = 0;
    for await (const page of this.#documents(scope, catalog)) documents += page.length;
    return { generation, position, documents };
  }

  /** That of the current model, with the chunking that the scope has. */
  async #recipe(scope: TenantScope): Promise<Recipe> {
    const { journal, providers } = this.#ports;
    const recipe = providers.recipeOf(providers.current.version);
    const active = activeGeneration((await journal.load(decider, scopeStream(scope))).state);
    return active ? { ...recipe, chunking: active.recipe.chunking } : recipe;
  }

  /** @throws NotFound */
  async progress(access: Access, name: VectorScope): Promise<ReembeddingProgress> {
    const { journal, catalog, vectors } = this.#ports;
    const scope = permittedScope(access, name);
    const { state } = await journal.load(decider, scopeStream(scope));
    const building = state.generations.find(({ status }) => status === 'building');
    const generation = building ?? activeGeneration(state);
    if (!generation) throw new NotFound('scope', name);
    let total = 0;
    for await (const _ of catalog.contentHashes(scope)) total++;
    const serves = await this.#serves(scope, generation);
    const done = await vectors.count({ scope, generation: generation.id });
    // An active generation lacks only the chunks that the model rejected.
    const idle = !building && serves;
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

  /** Processes all documents of a scope until a complete pass finds no missing vector, then switches. @throws EmbeddingModelMismatch */
  async work(scope: TenantScope, correlationId: string, signal: AbortSignal): Promise<void> {
    const { journal, now, providers } = this.#ports;
    const metadata: EventMetadata = { ...scope, actor: 'reembedding-worker', correlationId };
    for (;;) {
      await this.#caughtUp(signal);
      const { state } = await journal.load(decider, scopeStream(scope));
      const building = state.generations.find(({ status }) => status === 'building');
      if (building && !providers.of(building.embeddingVersion, scope.tenant))
        throw new EmbeddingModelMismatch(building.embeddingVersion, providers.versions());
      const done = await this.#pass(scope, this.#computable(scope.tenant, liveGenerations(state)), correlationId, signal);
      if (done > 0) continue;
      if (building)
        await journal.execute(
          decider,
          scopeStream(scope),
          { type: 'Activate', scope: scope.scope, generation: building.id, now: now() },
          metadata,
        );
      return;
    }
  }

  /** Computes the missing vectors of one document for every live generation. */
  async workOn(scope: TenantScope, id: DocumentId, correlationId: string, signal: AbortSignal): Promise<void> {
    const { state } = await this.#ports.journal.load(decider, scopeStream(scope));
    for (const { recipe } of this.#computable(scope.tenant, liveGenerations(state)))
      await this.#ports.documents.run(scope, id, recipe, correlationId, signal);
  }

  /** Skips generations whose model is no longer configured; their missing vectors are not computed. */
  #computable(tenant: TenantId, generations: readonly Generation[]): readonly Generation[] {
    return generations.filter(({ embeddingVersion }) => this.#ports.providers.of(embeddingVersion, tenant) !== undefined);
  }

  async #pass(scope: TenantScope, generations: readonly Generation[], correlationId: string, signal: AbortSignal): Promise<number> {
    let done = 0;
    for await (const page of this.#documents(scope, this.#ports.catalog)) {
      for (const id of page) {
        signal.throwIfAborted();
        for (const { recipe } of generations) done += await this.#ports.documents.run(scope, id, recipe, correlationId, signal);
      }
    }
    return done;
  }

  async *#documents(scope: TenantScope, catalog: Catalog): AsyncGenerator<readonly DocumentId[]> {
    for (let after: DocumentId | undefined; ;) {
      const page = await catalog.indexedDocuments(scope, PAGE, after);
      if (page.length === 0) return;
      yield page;
      after = page.at(-1);
    }
  }

  /** Waits without a time limit: a rebuild of the read models, for example after a restore, must not fail the work. */
  async #caughtUp(signal: AbortSignal): Promise<void> {
    const head = await this.#ports.journal.log.head();
    while (!(await this.#ports.readModels.reached(head, CHECK_MS))) signal.throwIfAborted();
  }
}
