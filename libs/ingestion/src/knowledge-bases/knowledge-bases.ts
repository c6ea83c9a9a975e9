import type { Journal } from '@palimpsest/contracts';
import {
  authorise, Conflict, DEPLOYMENT, knowledgeBase as decider, knowledgeBaseId, knowledgeBaseStream, NotFound, requireRole, scope as scopeDecider, scopeStream,
} from '@palimpsest/knowledge';
import type {
  Access, EmbeddingProviders, EventMetadata, KnowledgeBase, KnowledgeBaseCommand, KnowledgeBaseId, KnowledgeBaseSettings, Position, VectorScope,
} from '@palimpsest/knowledge';
import { chunkingSettings } from '../chunking/chunking-settings.ts';

export type OpenKnowledgeBase = Extract<KnowledgeBase, { scope: VectorScope }>;
export type Changed = Readonly<{ id: KnowledgeBaseId; scope: VectorScope; settings: KnowledgeBaseSettings; status: 'active' | 'archived'; position: Position }>;

/** Takes documents that name no knowledge base; made on first use. */
export const DEFAULT_KNOWLEDGE_BASE = knowledgeBaseId('default');

/** Creating, configuring, archiving; and finding, for those who write into one. */
export class KnowledgeBases {
  readonly #journal: Journal;
  readonly #providers: EmbeddingProviders;
  readonly #now: () => string;

  constructor(journal: Journal, providers: EmbeddingProviders, now: () => string) {
    this.#journal = journal;
    this.#providers = providers;
    this.#now = now;
  }

  /** Opens the scope as well, with a first generation of the current model. @throws Conflict, Forbidden, NotFound (scope) */
  async create(access: Access, input: { id: KnowledgeBaseId; scope: VectorScope; settings: KnowledgeBaseSettings }, correlationId: string): Promise<Changed> {
    requireRole(access, 'writer');
    if (authorise(access, [input.scope]).length === 0) throw new NotFound('scope', input.scope);
    const metadata: EventMetadata = { tenant: access.tenant, scope: input.scope, actor: access.actor, correlationId };
    const now = this.#now();
    const created = await this.#execute(access, input.id, { type: 'Create', ...input, now }, metadata);
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
    const { scope, settings } = await this.writable(access, id);
    const metadata: EventMetadata = { tenant: access.tenant, scope, actor: access.actor, correlationId };
    return this.#execute(access, id, { type: 'Configure', id, settings: { ...settings, ...change }, now: this.#now() }, metadata);
  }

  async archive(access: Access, id: KnowledgeBaseId, correlationId: string): Promise<Changed> {
    const { scope } = await this.writable(access, id);
    return this.#execute(access, id, { type: 'Archive', id, now: this.#now() }, { tenant: access.tenant, scope, actor: access.actor, correlationId });
  }

  /** The knowledge base, if the caller may write into it. @throws NotFound, Forbidden */
  async writable(access: Access, id: KnowledgeBaseId): Promise<OpenKnowledgeBase> {
    requireRole(access, 'writer');
    const { state } = await this.#journal.load(decider, knowledgeBaseStream(access.tenant, id));
    if (state.status === 'none' || authorise(access, [state.scope]).length === 0) throw new NotFound('knowledge base', id);
    return state;
  }

  /** The same, for new documents: the default one is made when it is missing. @throws Conflict when it is archived */
  async accepting(access: Access, id: KnowledgeBaseId, correlationId: string): Promise<OpenKnowledgeBase> {
    if (id === DEFAULT_KNOWLEDGE_BASE) await this.#makeDefault(access, correlationId);
    const found = await this.writable(access, id);
    if (found.status === 'archived') throw new Conflict(`knowledge base "${id}" is archived and takes no more documents`);
    return found;
  }

  async #makeDefault(access: Access, correlationId: string): Promise<void> {
    const { state } = await this.#journal.load(decider, knowledgeBaseStream(access.tenant, DEFAULT_KNOWLEDGE_BASE));
    if (state.status !== 'none') return;
    const settings = { name: 'Default', description: 'Documents that were sent without the name of a knowledge base', chunking: chunkingSettings() };
    await this.create(access, { id: DEFAULT_KNOWLEDGE_BASE, scope: DEPLOYMENT, settings }, correlationId);
  }

  async #execute(access: Access, id: KnowledgeBaseId, command: KnowledgeBaseCommand, metadata: EventMetadata): Promise<Changed> {
    const { state, position } = await this.#journal.execute(decider, knowledgeBaseStream(access.tenant, id), command, metadata);
    if (state.status === 'none') throw new NotFound('knowledge base', id);
    return { id, position, ...state };
  }
}
