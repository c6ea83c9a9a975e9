import { untilReached } from '@palimpsest/contracts';
import type { Catalog, ReadModels, WaitingDocument } from '@palimpsest/knowledge/read-models';
import type { KnowledgeBaseId, Position, TenantId } from '@palimpsest/knowledge/values';

/** Documents per page. */
const PAGE = 1_000;

/** The documents that a knowledge base held while it was paused. */
export interface HeldDocuments {
  /** Every document that waited at position `since`, in submission order, in pages. Ends when the signal aborts. */
  waiting(tenant: TenantId, id: KnowledgeBaseId, since: Position, signal: AbortSignal): AsyncIterable<readonly WaitingDocument[]>;
}

/** Reads the catalog once it has reached `since`: it has the only list of held documents. */
export class CatalogHeldDocuments implements HeldDocuments {
  readonly #catalog: Pick<Catalog, 'waitingDocuments'>;
  readonly #readModels: Pick<ReadModels, 'reached'>;

  constructor(catalog: Pick<Catalog, 'waitingDocuments'>, readModels: Pick<ReadModels, 'reached'>) {
    this.#catalog = catalog;
    this.#readModels = readModels;
  }

  async *waiting(tenant: TenantId, id: KnowledgeBaseId, since: Position, signal: AbortSignal): AsyncGenerator<readonly WaitingDocument[]> {
    await untilReached(this.#readModels, since, signal);
    for (let last: WaitingDocument | undefined; !signal.aborted;) {
      const page = await this.#catalog.waitingDocuments(tenant, id, PAGE, last);
      last = page.at(-1);
      if (last === undefined) return;
      yield page;
    }
  }
}
