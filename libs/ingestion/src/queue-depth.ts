import { GROUPS, TOPICS } from '@palimpsest/contracts';
import type { MessageBus } from '@palimpsest/knowledge/ports';
import type { Catalog } from '@palimpsest/knowledge/read-models';

export interface QueueDepth {
  /** Documents that wait or are in progress, without those that a paused knowledge base holds back. */
  readonly waiting: number;
  /** Documents that wait in a paused knowledge base. */
  readonly held: number;
}

/** Counts in the catalog, because most waiting documents are not on the bus yet, where tenants take turns. */
export const countWaiting = async (catalog: Pick<Catalog, 'documentCounts'>): Promise<QueueDepth> => {
  const { pending, processing, held } = await catalog.documentCounts();
  return { waiting: pending + processing - held, held };
};

/** Messages of the ingestion queue that the bus has not delivered yet. */
export const ingestionLag = (bus: Pick<MessageBus, 'lag'>): Promise<number> => bus.lag(TOPICS.ingestion, GROUPS.ingestion);

/** The larger of the counts of catalog and bus: a document that one of them does not know yet is counted by the other. */
export const queueDepth = async (catalog: Pick<Catalog, 'documentCounts'>, bus: Pick<MessageBus, 'lag'>): Promise<QueueDepth> => {
  const [{ waiting, held }, lag] = [await countWaiting(catalog), await ingestionLag(bus)];
  return { waiting: Math.max(waiting, lag), held };
};
