import type { Journal, ExportHead } from '@palimpsest/contracts';
import {
  activeGeneration,
  knowledgeBase as decider,
  knowledgeBaseStream,
  scope as scopeDecider,
  scopeStream,
} from '@palimpsest/knowledge/deciders';
import { Conflict, KnowledgeError } from '@palimpsest/knowledge/errors';
import { permittedScope } from '@palimpsest/knowledge/access';
import { DEPLOYMENT } from '@palimpsest/knowledge/values';
import type { Access } from '@palimpsest/knowledge/access';
import type { EmbeddingProviders } from '@palimpsest/knowledge/ports';
import type { EmbeddingVersion, KnowledgeBaseId, VectorScope } from '@palimpsest/knowledge/values';
import { DEFAULT_KNOWLEDGE_BASE, deletingConflict, pausedConflict, type KnowledgeBases } from '../knowledge-bases/knowledge-bases.ts';

/** The export contains vectors of a model that does not serve the scope. */
export class ImportModelMismatch extends KnowledgeError {
  readonly code = 'EmbeddingModelMismatch';
  readonly retryable = false;
}

type Base = ExportHead['knowledgeBases'][number];
export type ImportBegun = Readonly<{
  scope: VectorScope;
  embeddingVersion: EmbeddingVersion;
  /** `vectors`: vectors are imported as exported. `re-embed`: documents are submitted again. */
  mode: 'vectors' | 're-embed';
  knowledgeBases: readonly Readonly<{ id: KnowledgeBaseId; status: 'made' | 'found' }>[];
}>;

type Stores = Readonly<{
  journal: Journal;
  providers: EmbeddingProviders;
  knowledgeBases: KnowledgeBases;
  now: () => string;
}>;

/** Begins an import: checks that the whole export fits, then opens the scope and creates its knowledge bases. */
export class ImportStart {
  readonly #stores: Stores;

  constructor(stores: Stores) {
    this.#stores = stores;
  }

  /** @throws NotFound (scope), ImportModelMismatch, Conflict, all before anything is written */
  async run(
    access: Access,
    scope: VectorScope,
    { embeddingVersion, knowledgeBases }: ExportHead,
    reembed: boolean,
    correlationId: string,
  ): Promise<ImportBegun> {
    const { tenant } = permittedScope(access, scope);
    const version = await this.#versionFor(access, scope, embeddingVersion, reembed);
    const missing: Base[] = [];
    for (const base of knowledgeBases) if (!(await this.#exists(access, scope, base))) missing.push(base);
    const { journal, providers, now } = this.#stores;
    const tenantScope = { tenant, scope };
    const metadata = { ...tenantScope, actor: access.actor, correlationId };
    await journal.execute(
      scopeDecider,
      scopeStream(tenantScope),
      { type: 'Open', scope, recipe: providers.recipeOf(version), now: now() },
      metadata,
    );
    for (const base of missing) await this.#make(access, scope, base, correlationId);
    const made = new Set(missing.map(({ id }) => id));
    return {
      scope,
      embeddingVersion: version,
      mode: version === embeddingVersion ? 'vectors' : 're-embed',
      knowledgeBases: knowledgeBases.map(({ id }) => ({ id, status: made.has(id) ? 'made' : 'found' })),
    };
  }

  /** Returns the embedding version that serves the scope, or will serve it. */
  async #versionFor(access: Access, scope: VectorScope, exported: EmbeddingVersion, reembed: boolean): Promise<EmbeddingVersion> {
    const { journal, providers } = this.#stores;
    const { state } = await journal.load(scopeDecider, scopeStream({ tenant: access.tenant, scope }));
    const serving = activeGeneration(state)?.embeddingVersion;
    const fits = serving === undefined ? providers.of(exported, access.tenant) !== undefined : serving === exported;
    if (fits) return exported;
    if (reembed) return serving ?? providers.current.version;
    throw new ImportModelMismatch(
      serving === undefined
        ? `the export has vectors of ${exported}, but only ${providers.versions().join(', ')} is configured: import with re-embedding, or configure that model`
        : `the export has vectors of ${exported}, but scope "${scope}" is served by ${serving}: import with re-embedding, or into another scope`,
    );
  }

  /** @throws Conflict if it exists but cannot be imported into */
  async #exists(access: Access, scope: VectorScope, { id, status }: Base): Promise<boolean> {
    const { state } = await this.#stores.journal.load(decider, knowledgeBaseStream(access.tenant, id));
    if (state.status === 'deleted') throw new Conflict(`knowledge base "${id}" was deleted here: rename it during the import`);
    if (state.status === 'none') {
      if (id === DEFAULT_KNOWLEDGE_BASE && scope !== DEPLOYMENT)
        throw new Conflict(`the knowledge base "${id}" belongs to the scope "${DEPLOYMENT}": rename it during the import`);
      return false;
    }
    if (state.scope !== scope) throw new Conflict(`a knowledge base "${id}" exists already, in another scope: rename it during the import`);
    if (state.status === 'archived' && status === 'active')
      throw new Conflict(`knowledge base "${id}" is archived here and accepts no more documents`);
    if (state.status === 'deleting') throw deletingConflict(id);
    if (state.status === 'paused') throw pausedConflict(id);
    return true;
  }

  async #make(access: Access, scope: VectorScope, { id, status, ...settings }: Base, correlationId: string): Promise<void> {
    const { knowledgeBases } = this.#stores;
    await knowledgeBases.create(access, { id, scope, settings }, correlationId);
    if (status === 'archived') await knowledgeBases.archive(access, id, correlationId);
  }
}
