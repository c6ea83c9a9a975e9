import { GROUPS, TOPICS } from '@palimpsest/contracts';
import type { Catalog, MessageBus } from '@palimpsest/knowledge';

export interface QueueDepth {
  /** Documents that wait or are in work, without those that a pause holds back. */
  readonly waiting: number;
  /** Documents that wait in a paused knowledge base. */
  readonly held: number;
}

/** As the catalogue counts it: most of what waits is in front of the bus, where each tenant has its turn. */
export const countWaiting = async (catalog: Pick<Catalog, 'documentCounts'>): Promise<QueueDepth> => {
  const { pending, processing, held } = await catalog.documentCounts();
  return { waiting: pending + processing - held, held };
};

/** Messages of the ingestion queue that the bus has not delivered yet. */
export const ingestionLag = (bus: Pick<MessageBus, 'lag'>): Promise<number> => bus.lag(TOPICS.ingestion, GROUPS.ingestion);

/** What catalogue or bus knows of, whichever is more: a document that one of them has not heard of yet is counted by the other. */
export const queueDepth = async (catalog: Pick<Catalog, 'documentCounts'>, bus: Pick<MessageBus, 'lag'>): Promise<QueueDepth> => {
  const [{ waiting, held }, lag] = [await countWaiting(catalog), await ingestionLag(bus)];
  return { waiting: Math.max(waiting, lag), held };
};
