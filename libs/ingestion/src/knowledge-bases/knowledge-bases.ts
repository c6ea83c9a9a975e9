import { chunkingSettings } from '@palimpsest/contracts';
import type { Journal } from '@palimpsest/contracts';
import {
  archiveKnowledgeBase,
  configureKnowledgeBase,
  createKnowledgeBase,
  deleteKnowledgeBase,
  pauseKnowledgeBase,
  resumeKnowledgeBase,
} from '@palimpsest/contracts/routes/knowledge-bases';
import { assertVisible, authorise, permittedScope, requireRole } from '@palimpsest/knowledge/access';
import { isGone, knowledgeBase as decider, knowledgeBaseStream, scope as scopeDecider, scopeStream } from '@palimpsest/knowledge/deciders';
import { Conflict, NotFound } from '@palimpsest/knowledge/errors';
import { command, on, type UseCase } from '@palimpsest/knowledge/messages';
import { DEPLOYMENT, knowledgeBaseId } from '@palimpsest/knowledge/values';
import type { Access } from '@palimpsest/knowledge/access';
import type { KnowledgeBase, KnowledgeBaseCommand, KnowledgeBaseStatus } from '@palimpsest/knowledge/deciders';
import type { EventMetadata, KnowledgeBaseSettings } from '@palimpsest/knowledge/events';
import type { QuotaPolicy } from '@palimpsest/knowledge/limits';
import type { EmbeddingProviders } from '@palimpsest/knowledge/ports';
import type { KnowledgeBaseId, Position, TenantId, VectorScope } from '@palimpsest/knowledge/values';

export type OpenKnowledgeBase = Extract<KnowledgeBase, { scope: VectorScope }>;
export type Changed = Readonly<{
  id: KnowledgeBaseId;
  scope: VectorScope;
  settings: KnowledgeBaseSettings;
  status: KnowledgeBaseStatus;
  position: Position;
}>;

export type NewKnowledgeBase = Readonly<{ id: KnowledgeBaseId; scope: VectorScope; settings: KnowledgeBaseSettings }>;

/** Holds documents that name no knowledge base. Created on first use. */
export const DEFAULT_KNOWLEDGE_BASE = knowledgeBaseId('default');

type Change = Readonly<{ id: KnowledgeBaseId; change: Partial<KnowledgeBaseSettings> }>;

/** Opens the scope as well, with a first generation of the current model. */
export class CreateKnowledgeBase extends command<NewKnowledgeBase, Changed>(createKnowledgeBase, { scopes: ({ scope }) => [scope] }) {}
export class ConfigureKnowledgeBase extends command<Change, Changed>(configureKnowledgeBase) {}
/** Holds back waiting documents. Documents in progress are completed. */
export class PauseKnowledgeBase extends command<KnowledgeBaseId, Changed>(pauseKnowledgeBase) {}
export class ResumeKnowledgeBase extends command<KnowledgeBaseId, Changed>(resumeKnowledgeBase) {}
export class ArchiveKnowledgeBase extends command<KnowledgeBaseId, Changed>(archiveKnowledgeBase) {}
/** Refuses new documents. A worker deletes those that exist, and then the knowledge base. */
export class DeleteKnowledgeBase extends command<KnowledgeBaseId, Changed>(deleteKnowledgeBase) {}

/** Creates, configures, pauses and archives knowledge bases, and finds them for writers. */
export class KnowledgeBases implements UseCase {
  readonly handlers = [
    on(CreateKnowledgeBase, ({ access, input, correlationId }) => this.create(access, input, correlationId)),
    on(ConfigureKnowledgeBase, ({ access, input: { id, change }, correlationId }) => this.configure(access, id, change, correlationId)),
    on(PauseKnowledgeBase, ({ access, input, correlationId }) => this.pause(access, input, correlationId)),
    on(ResumeKnowledgeBase, ({ access, input, correlationId }) => this.resume(access, input, correlationId)),
    on(ArchiveKnowledgeBase, ({ access, input, correlationId }) => this.archive(access, input, correlationId)),
    on(DeleteKnowledgeBase, ({ access, input, correlationId }) => this.remove(access, input, correlationId)),
  ];
  readonly #journal: Journal;
  readonly #providers: EmbeddingProviders;
  readonly #quotaPolicy: QuotaPolicy;
  readonly #now: () => string;
  /** Tenants whose default knowledge base exists. It is never deleted. */
  readonly #withDefault = new Set<TenantId>();

  constructor(journal: Journal, providers: EmbeddingProviders, quotaPolicy: QuotaPolicy, now: () => string) {
    this.#journal = journal;
    this.#providers = providers;
    this.#quotaPolicy = quotaPolicy;
    this.#now = now;
  }

  /** @throws Conflict, NotFound (scope), QuotaExceeded */
  async create(access: Access, input: NewKnowledgeBase, correlationId: string): Promise<Changed> {
    permittedScope(access, input.scope);
    if (input.settings.historyDays) requireRole(access, 'admin', 'admin', 'historyDays');
    const metadata: EventMetadata = { tenant: access.tenant, scope: input.scope, actor: access.actor, correlationId };
    const now = this.#now();
    const created = await this.#reserving(access, input.id, () =>
      this.#execute(access, input.id, { type: 'Create', ...input, now }, metadata),
    );
    // Open the scope second, so that a refused knowledge base opens none. After a crash, the first document opens a missing scope.
    await this.#journal.execute(
      scopeDecider,
      scopeStream({ tenant: access.tenant, scope: input.scope }),
      { type: 'Open', scope: input.scope, recipe: this.#providers.recipeOf(this.#providers.current.version), now },
      metadata,
    );
    return created;
  }

  async configure(access: Access, id: KnowledgeBaseId, change: Partial<KnowledgeBaseSettings>, correlationId: string): Promise<Changed> {
    const { scope, settings } = await this.writable(access, id);
    if (change.historyDays !== undefined && change.historyDays !== (settings.historyDays ?? 0))
      requireRole(access, 'admin', 'admin', 'historyDays');
    const metadata: EventMetadata = { tenant: access.tenant, scope, actor: access.actor, correlationId };
    return this.#execute(access, id, { type: 'Configure', id, settings: { ...settings, ...change }, now: this.#now() }, metadata);
  }

  async archive(access: Access, id: KnowledgeBaseId, correlationId: string): Promise<Changed> {
    return this.#change(access, { type: 'Archive', id, now: this.#now() }, correlationId);
  }

  /** @throws Conflict if it is archived */
  async pause(access: Access, id: KnowledgeBaseId, correlationId: string): Promise<Changed> {
    return this.#change(access, { type: 'Pause', id, now: this.#now() }, correlationId);
  }

  async resume(access: Access, id: KnowledgeBaseId, correlationId: string): Promise<Changed> {
    return this.#change(access, { type: 'Resume', id, now: this.#now() }, correlationId);
  }

  /** @throws Conflict for the default knowledge base: its id would never be used again, and documents that name none refused for ever */
  async remove(access: Access, id: KnowledgeBaseId, correlationId: string): Promise<Changed> {
    await this.writable(access, id);
    if (id === DEFAULT_KNOWLEDGE_BASE)
      throw new Conflict(`knowledge base "${id}" takes documents that name none, and is not deleted: delete its documents instead`);
    return this.#change(access, { type: 'RequestDeletion', id, now: this.#now() }, correlationId);
  }

  /** Returns the knowledge base if the caller may read its scope; the pipeline has checked that it may write. @throws NotFound */
  async writable(access: Access, id: KnowledgeBaseId): Promise<OpenKnowledgeBase> {
    const { state } = await this.#journal.load(decider, knowledgeBaseStream(access.tenant, id));
    if (isGone(state) || authorise(access, [state.scope]).length === 0) throw new NotFound('knowledge base', id);
    assertVisible(access, { scope: state.scope });
    return state;
  }

  /** The same for new documents. Creates the default knowledge base if it is missing. @throws Conflict if it is paused or archived */
  async accepting(access: Access, id: KnowledgeBaseId, correlationId: string): Promise<OpenKnowledgeBase> {
    if (id === DEFAULT_KNOWLEDGE_BASE) await this.#makeDefault(access, correlationId);
    return this.#accepts(await this.writable(access, id), id);
  }

  /** The same for retrying existing documents. @throws Conflict if it is paused */
  async retrying(access: Access, id: KnowledgeBaseId): Promise<OpenKnowledgeBase> {
    const found = await this.writable(access, id);
    return found.status === 'archived' ? found : this.#accepts(found, id);
  }

  /** Reserves quota, unless the knowledge base exists already. */
  async #reserving(access: Access, id: KnowledgeBaseId, create: () => Promise<Changed>): Promise<Changed> {
    const exists = async () => (await this.#journal.load(decider, knowledgeBaseStream(access.tenant, id))).state.status !== 'none';
    if (await exists()) return create();
    const reservation = await this.#quotaPolicy.reserveKnowledgeBase(access.tenant, id).catch(async (error: unknown) => {
      // Another process may have created it meanwhile, with the last quota.
      if (await exists()) return undefined;
      throw error;
    });
    if (!reservation) return create();
    try {
      const created = await create();
      reservation.commit(created.position);
      return created;
    } catch (error) {
      reservation.release();
      throw error;
    }
  }

  #accepts(found: OpenKnowledgeBase, id: KnowledgeBaseId): OpenKnowledgeBase {
    if (found.status === 'deleting') throw deletingConflict(id);
    if (found.status === 'archived') throw new Conflict(`knowledge base "${id}" is archived and accepts no more documents`);
    if (found.status === 'paused') throw pausedConflict(id);
    return found;
  }

  async #change(
    access: Access,
    command: Extract<KnowledgeBaseCommand, { type: 'Archive' | 'Pause' | 'Resume' | 'RequestDeletion' }>,
    correlationId: string,
  ): Promise<Changed> {
    const { scope } = await this.writable(access, command.id);
    return this.#execute(access, command.id, command, { tenant: access.tenant, scope, actor: access.actor, correlationId });
  }

  async #makeDefault(access: Access, correlationId: string): Promise<void> {
    if (this.#withDefault.has(access.tenant)) return;
    await this.#makeDefaultIfMissing(access, correlationId);
    this.#withDefault.add(access.tenant);
  }

  async #makeDefaultIfMissing(access: Access, correlationId: string): Promise<void> {
    const exists = async () =>
      (await this.#journal.load(decider, knowledgeBaseStream(access.tenant, DEFAULT_KNOWLEDGE_BASE))).state.status !== 'none';
    if (await exists()) return;
    const settings = { name: 'Default', description: 'Documents that were added without a knowledge base', chunking: chunkingSettings() };
    await this.create(access, { id: DEFAULT_KNOWLEDGE_BASE, scope: DEPLOYMENT, settings }, correlationId).catch(async (error: unknown) => {
      // Another caller may have created it at the same time, with other settings.
      if (!(error instanceof Conflict) || !(await exists())) throw error;
    });
  }

  async #execute(access: Access, id: KnowledgeBaseId, command: KnowledgeBaseCommand, metadata: EventMetadata): Promise<Changed> {
    const { state, position } = await this.#journal.execute(decider, knowledgeBaseStream(access.tenant, id), command, metadata);
    if (isGone(state)) throw new NotFound('knowledge base', id);
    return { id, position, ...state };
  }
}

/** The error for adding documents to a knowledge base that is being deleted. */
export const deletingConflict = (id: KnowledgeBaseId): Conflict =>
  new Conflict(`knowledge base "${id}" is being deleted and accepts no more documents`);

/** The error for adding documents to a paused knowledge base. */
export const pausedConflict = (id: KnowledgeBaseId): Conflict =>
  new Conflict(`knowledge base "${id}" is paused and accepts no documents until it is resumed: POST /v1/knowledge-bases/${id}/resume`);
