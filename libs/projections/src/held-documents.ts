import type { Catalog, KnowledgeBaseId, Position, ReadModels, TenantId, WaitingDocument } from '@palimpsest/knowledge';

/** Read at a time. */
const PAGE = 1_000;
/** How long one wait for the catalogue takes before it is looked whether anybody still wants to know. */
const LOOK_MS = 1_000;

/** What the relay asks when a knowledge base is resumed. */
export interface HeldDocuments {
  /** Every document that waited when the log was at `since`, in the order of submission, page by page. Ends when the signal aborts. */
  waiting(tenant: TenantId, id: KnowledgeBaseId, since: Position, signal: AbortSignal): AsyncIterable<readonly WaitingDocument[]>;
}

/** As the catalogue knows it, once it has come that far: nobody else keeps a list of what is held back. */
export class CatalogHeldDocuments implements HeldDocuments {
  readonly #catalog: Pick<Catalog, 'waitingDocuments'>;
  readonly #readModels: Pick<ReadModels, 'reached'>;

  constructor(catalog: Pick<Catalog, 'waitingDocuments'>, readModels: Pick<ReadModels, 'reached'>) {
    this.#catalog = catalog;
    this.#readModels = readModels;
  }

  async *waiting(tenant: TenantId, id: KnowledgeBaseId, since: Position, signal: AbortSignal): AsyncGenerator<readonly WaitingDocument[]> {
    while (!signal.aborted && !(await this.#readModels.reached(since, LOOK_MS)));
    for (let last: WaitingDocument | undefined; !signal.aborted; ) {
      const page = await this.#catalog.waitingDocuments(tenant, id, PAGE, last);
      last = page.at(-1);
      if (last === undefined) return;
      yield page;
    }
  }
}
