import type { Journal } from '@palimpsest/contracts';
import {
  authorise, Conflict, DEPLOYMENT, knowledgeBase as decider, knowledgeBaseId, knowledgeBaseStream, NotFound, requireRole, scope as scopeDecider, scopeStream, secondLook,
} from '@palimpsest/knowledge';
import type {
  Access, Admission, EmbeddingProviders, EventMetadata, KnowledgeBase, KnowledgeBaseCommand, KnowledgeBaseId, KnowledgeBaseSettings, KnowledgeBaseStatus, Position, TenantId, VectorScope,
} from '@palimpsest/knowledge';
import { chunkingSettings } from '../chunking/chunking-settings.ts';

export type OpenKnowledgeBase = Extract<KnowledgeBase, { scope: VectorScope }>;
export type Changed = Readonly<{ id: KnowledgeBaseId; scope: VectorScope; settings: KnowledgeBaseSettings; status: KnowledgeBaseStatus; position: Position }>;

export type NewKnowledgeBase = Readonly<{ id: KnowledgeBaseId; scope: VectorScope; settings: KnowledgeBaseSettings }>;

/** Takes documents that name no knowledge base; made on first use. */
export const DEFAULT_KNOWLEDGE_BASE = knowledgeBaseId('default');

/** Creating, configuring, pausing, archiving; and finding, for those who write into one. */
export class KnowledgeBases {
  readonly #journal: Journal;
  readonly #providers: EmbeddingProviders;
  readonly #admission: Admission;
  readonly #now: () => string;
  /** Where the default one is known to be: none ever goes away. */
  readonly #withDefault = new Set<TenantId>();

  constructor(journal: Journal, providers: EmbeddingProviders, admission: Admission, now: () => string) {
    this.#journal = journal;
    this.#providers = providers;
    this.#admission = admission;
    this.#now = now;
  }

  /** Opens the scope as well, with a first generation of the current model. @throws Conflict, Forbidden, NotFound (scope), RateLimited, QuotaExceeded */
  async create(access: Access, input: NewKnowledgeBase, correlationId: string): Promise<Changed> {
    await this.#admit(access);
    return this.make(access, input, correlationId);
  }

  /** The same within a request that was let in already. */
  async make(access: Access, input: NewKnowledgeBase, correlationId: string): Promise<Changed> {
    requireRole(access, 'writer');
    if (authorise(access, [input.scope]).length === 0) throw new NotFound('scope', input.scope);
    secondLook(access, { scope: input.scope });
    const metadata: EventMetadata = { tenant: access.tenant, scope: input.scope, actor: access.actor, correlationId };
    const now = this.#now();
    const created = await this.#withRoom(access, input.id, () => this.#execute(access, input.id, { type: 'Create', ...input, now }, metadata));
    // Second, so that a refused knowledge base opens no scope; one that is missing after a crash is opened by the first document.
    await this.#journal.execute(
      scopeDecider,
      scopeStream({ tenant: access.tenant, scope: input.scope }),
      { type: 'Open', scope: input.scope, embeddingVersion: this.#providers.current.version, now },
      metadata,
    );
    return created;
  }

  async configure(access: Access, id: KnowledgeBaseId, change: Partial<KnowledgeBaseSettings>, correlationId: string): Promise<Changed> {
    await this.#admit(access);
    const { scope, settings } = await this.writable(access, id);
    const metadata: EventMetadata = { tenant: access.tenant, scope, actor: access.actor, correlationId };
    return this.#execute(access, id, { type: 'Configure', id, settings: { ...settings, ...change }, now: this.#now() }, metadata);
  }

  async archive(access: Access, id: KnowledgeBaseId, correlationId: string): Promise<Changed> {
    await this.#admit(access);
    return this.archiveNow(access, id, correlationId);
  }

  /** The same within a request that was let in already. */
  async archiveNow(access: Access, id: KnowledgeBaseId, correlationId: string): Promise<Changed> {
    return this.#change(access, { type: 'Archive', id, now: this.#now() }, correlationId);
  }

  /** What waits is held back from here on; what is being worked on is finished. @throws Conflict when it is archived */
  async pause(access: Access, id: KnowledgeBaseId, correlationId: string): Promise<Changed> {
    await this.#admit(access);
    return this.#change(access, { type: 'Pause', id, now: this.#now() }, correlationId);
  }

  async resume(access: Access, id: KnowledgeBaseId, correlationId: string): Promise<Changed> {
    await this.#admit(access);
    return this.#change(access, { type: 'Resume', id, now: this.#now() }, correlationId);
  }

  /** The knowledge base, if the caller may write into it. @throws NotFound, Forbidden */
  async writable(access: Access, id: KnowledgeBaseId): Promise<OpenKnowledgeBase> {
    requireRole(access, 'writer');
    const { state } = await this.#journal.load(decider, knowledgeBaseStream(access.tenant, id));
    if (state.status === 'none' || authorise(access, [state.scope]).length === 0) throw new NotFound('knowledge base', id);
    secondLook(access, { scope: state.scope });
    return state;
  }

  /** The same, for new documents: the default one is made when it is missing. @throws Conflict when it is paused or archived */
  async accepting(access: Access, id: KnowledgeBaseId, correlationId: string): Promise<OpenKnowledgeBase> {
    if (id === DEFAULT_KNOWLEDGE_BASE) await this.#makeDefault(access, correlationId);
    return this.#accepts(await this.writable(access, id), id);
  }

  /** For documents that it has, tried again. @throws Conflict when it is paused */
  async retrying(access: Access, id: KnowledgeBaseId): Promise<OpenKnowledgeBase> {
    const found = await this.writable(access, id);
    return found.status === 'archived' ? found : this.#accepts(found, id);
  }

  async #admit(access: Access): Promise<void> {
    requireRole(access, 'writer');
    await this.#admission.request(access, 'writes');
  }

  /** One that is there takes no more room. */
  async #withRoom(access: Access, id: KnowledgeBaseId, create: () => Promise<Changed>): Promise<Changed> {
    const isThere = async () => (await this.#journal.load(decider, knowledgeBaseStream(access.tenant, id))).state.status !== 'none';
    if (await isThere()) return create();
    const hold = await this.#admission.roomForKnowledgeBase(access.tenant, id).catch(async (error: unknown) => {
      // Somebody else may have made it meanwhile, and taken the last room for it.
      if (await isThere()) return undefined;
      throw error;
    });
    if (!hold) return create();
    try {
      const created = await create();
      hold.taken(created.position);
      return created;
    } catch (error) {
      hold.givenBack();
      throw error;
    }
  }

  #accepts(found: OpenKnowledgeBase, id: KnowledgeBaseId): OpenKnowledgeBase {
    if (found.status === 'archived') throw new Conflict(`knowledge base "${id}" is archived and takes no more documents`);
    if (found.status === 'paused') throw isPaused(id);
    return found;
  }

  async #change(access: Access, command: Extract<KnowledgeBaseCommand, { type: 'Archive' | 'Pause' | 'Resume' }>, correlationId: string): Promise<Changed> {
    const { scope } = await this.writable(access, command.id);
    return this.#execute(access, command.id, command, { tenant: access.tenant, scope, actor: access.actor, correlationId });
  }

  async #makeDefault(access: Access, correlationId: string): Promise<void> {
    if (this.#withDefault.has(access.tenant)) return;
    await this.#makeDefaultIfMissing(access, correlationId);
    this.#withDefault.add(access.tenant);
  }

  async #makeDefaultIfMissing(access: Access, correlationId: string): Promise<void> {
    const exists = async () => (await this.#journal.load(decider, knowledgeBaseStream(access.tenant, DEFAULT_KNOWLEDGE_BASE))).state.status !== 'none';
    if (await exists()) return;
    const settings = { name: 'Default', description: 'Documents that were sent without the name of a knowledge base', chunking: chunkingSettings() };
    await this.make(access, { id: DEFAULT_KNOWLEDGE_BASE, scope: DEPLOYMENT, settings }, correlationId).catch(async (error: unknown) => {
      // Somebody may have created it at the same time, with settings of their own.
      if (!(error instanceof Conflict) || !(await exists())) throw error;
    });
  }

  async #execute(access: Access, id: KnowledgeBaseId, command: KnowledgeBaseCommand, metadata: EventMetadata): Promise<Changed> {
    const { state, position } = await this.#journal.execute(decider, knowledgeBaseStream(access.tenant, id), command, metadata);
    if (state.status === 'none') throw new NotFound('knowledge base', id);
    return { id, position, ...state };
  }
}

/** What who brings documents to a paused knowledge base is told. */
export const isPaused = (id: KnowledgeBaseId): Conflict =>
  new Conflict(`knowledge base "${id}" is paused and takes no documents until it is resumed: POST /v1/knowledge-bases/${id}/resume`);
