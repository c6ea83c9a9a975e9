import type { Journal } from '@palimpsest/contracts';
import { knowledgeBaseStream } from '@palimpsest/knowledge/deciders';
import { primaryLanguage } from '@palimpsest/knowledge/texts';
import type { DomainEvent, Fact, KnowledgeBaseConfigured } from '@palimpsest/knowledge/events';
import type { KnowledgeBaseId, Position, TenantId } from '@palimpsest/knowledge/values';

/** Number of knowledge bases whose declarations are cached. */
const MAX_CACHED = 10_000;

type Declaration = Readonly<{ at: Position; language: string }>;

/**
 * The language that a knowledge base declared at a position, read from its stream only, so that the index is the same live and rebuilt.
 * Streams are cached; call `forget` when a later event of a knowledge base arrives.
 */
export class DeclaredLanguages {
  readonly #journal: Journal;
  readonly #known = new Map<string, readonly Declaration[]>();

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  /** ISO 639-1; `und` if it declared none. */
  async of(tenant: TenantId, id: KnowledgeBaseId, upTo: Position): Promise<string> {
    return (await this.#declarations(tenant, id)).findLast(({ at }) => at <= upTo)?.language ?? 'und';
  }

  /** Whether this event changed the declared language of its knowledge base. */
  async isChangedBy({ event, metadata: { tenant }, position }: Fact<KnowledgeBaseConfigured>): Promise<boolean> {
    const declarations = await this.#declarations(tenant, event.data.id);
    const before = declarations.findLast(({ at }) => at < position)?.language ?? 'und';
    return before !== (await this.of(tenant, event.data.id, position));
  }

  forget({ event, metadata: { tenant } }: Fact<DomainEvent>): void {
    if (isDeclaration(event)) this.#known.delete(keyOf(tenant, event.data.id));
  }

  async #declarations(tenant: TenantId, id: KnowledgeBaseId): Promise<readonly Declaration[]> {
    const key = keyOf(tenant, id);
    const known = this.#known.get(key);
    if (known) return known;
    const declarations: Declaration[] = [];
    for await (const { event, position: at } of this.#journal.readStream(knowledgeBaseStream(tenant, id)))
      if (isDeclaration(event)) declarations.push({ at, language: primaryLanguage(event.data.language ?? 'und') });
    if (this.#known.size >= MAX_CACHED) this.#known.clear();
    this.#known.set(key, declarations);
    return declarations;
  }
}

const isDeclaration = (event: DomainEvent) => event.type === 'KnowledgeBaseCreated' || event.type === 'KnowledgeBaseConfigured';

const keyOf = (tenant: TenantId, id: KnowledgeBaseId): string => `${tenant}/${id}`;
