import type { Journal } from '@palimpsest/contracts';
import { deleteDocument } from '@palimpsest/contracts/routes/documents';
import { document as decider, documentStream } from '@palimpsest/knowledge/deciders';
import { NotFound } from '@palimpsest/knowledge/errors';
import { command, on, type UseCase } from '@palimpsest/knowledge/messages';
import type { Access } from '@palimpsest/knowledge/access';
import type { DocumentId, Position } from '@palimpsest/knowledge/values';
import type { KnowledgeBases } from '../knowledge-bases/knowledge-bases.ts';

/** `onlyIfVersion`: refuse with Conflict unless this is the latest version. */
type Deletion = Readonly<{ id: DocumentId; onlyIfVersion?: number }>;

/** Reads no longer show the document once they have reached the returned position. */
export class DeleteDocument extends command<Deletion, Position>(deleteDocument) {}

/** Of many documents: enough that the log writes several deletions to the disk at a time. */
export const DELETED_TOGETHER = 16;

/** Writes the tombstone. */
export class DeleteDocumentHandler implements UseCase {
  readonly handlers = [
    on(DeleteDocument, ({ access, input: { id, onlyIfVersion }, correlationId }) => this.run(access, id, correlationId, onlyIfVersion)),
  ];
  readonly #journal: Journal;
  readonly #knowledgeBases: KnowledgeBases;
  readonly #now: () => string;

  constructor(journal: Journal, knowledgeBases: KnowledgeBases, now: () => string) {
    this.#journal = journal;
    this.#knowledgeBases = knowledgeBases;
    this.#now = now;
  }

  /** @throws NotFound; Conflict if `onlyIfVersion` is not the latest version */
  async run(access: Access, documentId: DocumentId, correlationId: string, onlyIfVersion?: number): Promise<Position> {
    const stream = documentStream(access.tenant, documentId);
    const loaded = await this.#journal.load(decider, stream);
    const knowledgeBase = loaded.state.submission?.knowledgeBase;
    if (knowledgeBase === undefined || loaded.state.status === 'deleted') throw new NotFound('document', documentId);
    const { scope } = await this.#knowledgeBases.writable(access, knowledgeBase).catch((error: unknown) => {
      // A knowledge base that the caller may not see hides its documents too.
      throw error instanceof NotFound ? new NotFound('document', documentId) : error;
    });
    const command = {
      type: 'Delete' as const,
      documentId,
      now: this.#now(),
      ...(onlyIfVersion === undefined ? {} : { onlyIfVersion }),
      ...(access.requiredLabels === undefined ? {} : { required: access.requiredLabels }),
    };
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
