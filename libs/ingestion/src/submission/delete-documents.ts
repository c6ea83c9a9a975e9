import { ahead } from '@palimpsest/foundation';
import { deleteDocuments } from '@palimpsest/contracts/routes/documents';
import type { Access } from '@palimpsest/knowledge/access';
import { Conflict, NotFound } from '@palimpsest/knowledge/errors';
import { command, on, type UseCase } from '@palimpsest/knowledge/messages';
import type { CatalogView, DocumentView, Views } from '@palimpsest/knowledge/read-models';
import { laterOf, type Position } from '@palimpsest/knowledge/values';
import { readable } from '../documents/readable.ts';
import { selectDocuments, type Selection } from '../documents/select-documents.ts';
import { DELETED_TOGETHER, type DeleteDocumentHandler } from './delete-document.ts';

/** `expected`: refuse with Conflict if another number of documents matches. */
type Deletion = Readonly<{ selection: Selection; dryRun: boolean; expected?: number }>;

/** `changed`: documents that were changed after they were selected, and are kept. `remaining`: what another request has to delete. */
export type DeletedDocuments = Readonly<{
  matching: number;
  deleted: number;
  changed: number;
  remaining: number;
  /** The first of those that matched. */
  documents: readonly DocumentView[];
  position: Position;
}>;

/** Reads no longer show the deleted documents once they have reached the returned position. */
export class DeleteDocuments extends command<Deletion, DeletedDocuments>(deleteDocuments, {
  scopes: ({ selection: { scope } }) => (scope === undefined ? [] : [scope]),
  shows: ({ documents }) => documents,
}) {}

/** Documents that one request deletes: about as many as in the time that callers wait for an answer. */
const AT_ONCE = 1_000;
const SHOWN = 20;

/**
 * Deletes the documents that match conditions, in the order of their sources. Each deletion is on the log before it is counted, so a kill
 * loses none, and the next request goes on.
 */
export class DeleteDocumentsHandler implements UseCase {
  readonly handlers = [on(DeleteDocuments, ({ access, input, correlationId }) => this.run(access, input, correlationId))];
  readonly #views: Views<CatalogView>;
  readonly #delete: Pick<DeleteDocumentHandler, 'run'>;
  readonly #atOnce: number;

  constructor(views: Views<CatalogView>, one: Pick<DeleteDocumentHandler, 'run'>, atOnce = AT_ONCE) {
    this.#views = views;
    this.#delete = one;
    this.#atOnce = atOnce;
  }

  /** @throws InvalidValue, NotFound (knowledge base); Conflict if another number of documents matches than expected */
  async run(access: Access, { selection, dryRun, expected }: Deletion, correlationId: string): Promise<DeletedDocuments> {
    const view = this.#views.live();
    let position = view.position();
    const { matching, first } = await selectDocuments(await readable(access, view.catalog), selection, this.#atOnce);
    if (expected !== undefined && expected !== matching)
      throw new Conflict(`${matching} documents match, not ${expected}: nothing was deleted`);
    const documents = first.slice(0, SHOWN);
    if (dryRun) return { matching, deleted: 0, changed: 0, remaining: matching, documents, position };
    let [deleted, changed] = [0, 0];
    const outcomes = ahead(first, DELETED_TOGETHER, ({ documentId, version }) => this.#one(access, correlationId, documentId, version));
    for await (const outcome of outcomes) {
      if (outcome === 'changed') changed += 1;
      else if (outcome !== 'gone') [deleted, position] = [deleted + 1, laterOf(position, outcome)];
    }
    return { matching, deleted, changed, remaining: matching - first.length, documents, position };
  }

  async #one(
    access: Access,
    correlationId: string,
    ...[id, version]: readonly [DocumentView['documentId'], number]
  ): Promise<Position | 'changed' | 'gone'> {
    try {
      return await this.#delete.run(access, id, correlationId, version);
    } catch (error) {
      if (error instanceof Conflict) return 'changed';
      if (error instanceof NotFound) return 'gone';
      throw error;
    }
  }
}
