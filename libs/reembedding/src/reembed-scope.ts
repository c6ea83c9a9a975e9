import type { Journal } from '@palimpsest/contracts';
import {
  activeGeneration, authorise, EmbeddingModelMismatch, liveGenerations, NotFound, requireRole, scope as decider, scopeStream, secondLook,
} from '@palimpsest/knowledge';
import type {
  Access, Admission, Catalog, DocumentId, EmbeddingProviders, EventMetadata, Generation, GenerationId, Position, ReadModels, TenantId, TenantScope, VectorIndex, VectorScope,
} from '@palimpsest/knowledge';
import type { ReembedDocument } from './reembed-document.ts';

export type ReembeddingStarted = Readonly<{ generation: Generation; position: Position; documents: number }>;
/**
 * `total`, `done` and `withoutVector` count chunks; `withoutVector`: those that the model refused, which are found by their words alone; `state` is `idle` when nothing is being built, and searches use the generation that the log says is active:
 * after a switch they go on with the one before until the catalogue has heard of it.
 */
export type ReembeddingProgress = Readonly<{ generation: Generation; state: 'idle' | 'building'; total: number; done: number; withoutVector: number }>;

export type ReembedScopePorts = Readonly<{
  journal: Journal; catalog: Catalog; vectors: VectorIndex; readModels: ReadModels; providers: EmbeddingProviders; documents: ReembedDocument; admission: Admission; now: () => string;
}>;

const PAGE = 100;
/** How often work that waits for the read models looks whether it is still wanted, milliseconds. */
const LOOK_MS = 5_000;

/** Brings a scope to the current model: a generation beside the old one, filled, then switched to by one event. */
export class ReembedScope {
  readonly #ports: ReembedScopePorts;

  constructor(ports: ReembedScopePorts) {
    this.#ports = ports;
  }

  /** Only the decision; the work follows from its event. @throws Forbidden, NotFound, Conflict, RateLimited */
  async start(access: Access, name: VectorScope, correlationId: string): Promise<ReembeddingStarted> {
    const { journal, providers, now, catalog, admission } = this.#ports;
    requireRole(access, 'admin');
    const scope = this.#permitted(access, name);
    await admission.request(access, 'writes');
    const command = { type: 'StartGeneration' as const, scope: name, embeddingVersion: providers.current.version, now: now() };
    const { state, position } = await journal.execute(decider, scopeStream(scope), command, { ...scope, actor: access.actor, correlationId });
    const generation = state.generations.find(({ status }) => status === 'building') ?? activeGeneration(state);
    if (!generation) throw new NotFound('scope', name);
    let documents = 0;
    for await (const page of this.#documents(scope, catalog)) documents += page.length;
    return { generation, position, documents };
  }

  /** @throws NotFound, Forbidden */
  async progress(access: Access, name: VectorScope): Promise<ReembeddingProgress> {
    const { journal, catalog, vectors } = this.#ports;
    requireRole(access, 'reader');
    const scope = this.#permitted(access, name);
    const { state } = await journal.load(decider, scopeStream(scope));
    const building = state.generations.find(({ status }) => status === 'building');
    const generation = building ?? activeGeneration(state);
    if (!generation) throw new NotFound('scope', name);
    let total = 0;
    for await (const _ of catalog.contentHashes(scope)) total++;
    const serves = await this.#serves(scope, generation);
    const done = await vectors.count({ scope, generation: generation.id });
    // It is switched to when nothing is lacking but what the model refused.
    const idle = !building && serves;
    return { generation, state: idle ? 'idle' : 'building', total, done, withoutVector: idle ? Math.max(0, total - done) : 0 };
  }

  async #serves({ tenant, scope }: TenantScope, { id }: Generation): Promise<boolean> {
    const known = (await this.#ports.catalog.scopes(tenant)).find((view) => view.scope.scope === scope);
    return known?.generations.some((one) => one.id === id && one.status === 'active') === true;
  }

  /**
   * Ends a generation that does not serve any more: its indexes go, and new chunks get no vector for it. There is no way back.
   * @throws Forbidden, NotFound, RateLimited; Conflict when it is the active one
   */
  async retire(access: Access, name: VectorScope, generation: GenerationId, correlationId: string): Promise<Position> {
    const { journal, now, admission } = this.#ports;
    requireRole(access, 'admin');
    const scope = this.#permitted(access, name);
    await admission.request(access, 'writes');
    const command = { type: 'Retire' as const, scope: name, generation, now: now() };
    const { position } = await journal.execute(decider, scopeStream(scope), command, { ...scope, actor: access.actor, correlationId });
    return position;
  }

  /** The work on a whole scope: every document, until a whole pass finds nothing lacking; then the switch. @throws EmbeddingModelMismatch */
  async work(scope: TenantScope, correlationId: string, signal: AbortSignal): Promise<void> {
    const { journal, now, providers } = this.#ports;
    const metadata: EventMetadata = { ...scope, actor: 'reembedding-worker', correlationId };
    for (;;) {
      await this.#caughtUp(signal);
      const { state } = await journal.load(decider, scopeStream(scope));
      const building = state.generations.find(({ status }) => status === 'building');
      if (building && !providers.of(building.embeddingVersion, scope.tenant)) throw new EmbeddingModelMismatch(building.embeddingVersion, providers.versions());
      const done = await this.#pass(scope, this.#computable(scope.tenant, liveGenerations(state)), correlationId, signal);
      if (done > 0) continue;
      if (building) await journal.execute(decider, scopeStream(scope), { type: 'Activate', scope: scope.scope, generation: building.id, now: now() }, metadata);
      return;
    }
  }

  /** What one document lacks, for every live generation. */
  async workOn(scope: TenantScope, id: DocumentId, correlationId: string, signal: AbortSignal): Promise<void> {
    const { state } = await this.#ports.journal.load(decider, scopeStream(scope));
    for (const { embeddingVersion } of this.#computable(scope.tenant, liveGenerations(state))) await this.#ports.documents.run(scope, id, embeddingVersion, correlationId, signal);
  }

  /** One on standby may be of a model that is not here any more; what it lacks is not made up for. */
  #computable(tenant: TenantId, generations: readonly Generation[]): readonly Generation[] {
    return generations.filter(({ embeddingVersion }) => this.#ports.providers.of(embeddingVersion, tenant) !== undefined);
  }

  async #pass(scope: TenantScope, generations: readonly Generation[], correlationId: string, signal: AbortSignal): Promise<number> {
    let done = 0;
    for await (const page of this.#documents(scope, this.#ports.catalog)) {
      for (const id of page) {
        signal.throwIfAborted();
        for (const { embeddingVersion } of generations) done += await this.#ports.documents.run(scope, id, embeddingVersion, correlationId, signal);
      }
    }
    return done;
  }

  async *#documents(scope: TenantScope, catalog: Catalog): AsyncGenerator<readonly DocumentId[]> {
    for (let after: DocumentId | undefined; ; ) {
      const page = await catalog.indexedDocuments(scope, PAGE, after);
      if (page.length === 0) return;
      yield page;
      after = page.at(-1);
    }
  }

  /** However long that takes: read models that are made anew, after a restore say, are no failure of this work. */
  async #caughtUp(signal: AbortSignal): Promise<void> {
    const head = await this.#ports.journal.log.head();
    while (!(await this.#ports.readModels.reached(head, LOOK_MS))) signal.throwIfAborted();
  }

  #permitted(access: Access, name: VectorScope): TenantScope {
    const [scope] = authorise(access, [name]);
    if (!scope) throw new NotFound('scope', name);
    secondLook(access, scope);
    return { tenant: scope.tenant, scope: scope.scope };
  }
}
