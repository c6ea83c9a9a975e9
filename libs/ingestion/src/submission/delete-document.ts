import type { Journal } from '@palimpsest/contracts';
import { requireRole } from '@palimpsest/knowledge/access';
import { document as decider, documentStream } from '@palimpsest/knowledge/deciders';
import { NotFound } from '@palimpsest/knowledge/errors';
import type { Access } from '@palimpsest/knowledge/access';
import type { QuotaPolicy } from '@palimpsest/knowledge/limits';
import type { DocumentId, Position } from '@palimpsest/knowledge/values';
import type { KnowledgeBases } from '../knowledge-bases/knowledge-bases.ts';

/** Writes the tombstone. Reads no longer show the document once they have reached the returned position. */
export class DeleteDocument {
  readonly #journal: Journal;
  readonly #knowledgeBases: KnowledgeBases;
  readonly #quotaPolicy: QuotaPolicy;
  readonly #now: () => string;

  constructor(journal: Journal, knowledgeBases: KnowledgeBases, quotaPolicy: QuotaPolicy, now: () => string) {
    this.#journal = journal;
    this.#knowledgeBases = knowledgeBases;
    this.#quotaPolicy = quotaPolicy;
    this.#now = now;
  }

  /** @throws NotFound, Forbidden, RateLimited; Conflict if `onlyIfVersion` is not the latest version */
  async run(access: Access, documentId: DocumentId, correlationId: string, onlyIfVersion?: number): Promise<Position> {
    requireRole(access, 'writer');
    await this.#quotaPolicy.request(access, 'writes');
    const stream = documentStream(access.tenant, documentId);
    const loaded = await this.#journal.load(decider, stream);
    const knowledgeBase = loaded.state.submission?.knowledgeBase;
    if (knowledgeBase === undefined || loaded.state.status === 'deleted') throw new NotFound('document', documentId);
    const { scope } = await this.#knowledgeBases.writable(access, knowledgeBase).catch((error: unknown) => {
      // A knowledge base that the caller may not see hides its documents too.
      throw error instanceof NotFound ? new NotFound('document', documentId) : error;
    });
    const command = { type: 'Delete' as const, documentId, now: this.#now(), ...(onlyIfVersion === undefined ? {} : { onlyIfVersion }) };
    const { position } = await this.#journal.execute(
      decider,
      stream,
      command,
      { tenant: access.tenant, scope, actor: access.actor, correlationId },
      loaded,
    );
    return position;
  }
}
