import { GROUPS, processDocument, TOPICS, whileServersAreAway } from '@palimpsest/contracts';
import { Corrupt, EmbeddingModelMismatch, PermanentFailure, ScopeKeyDestroyed, ServerAway } from '@palimpsest/knowledge';
import type { Consumer, Delivery, MessageBus } from '@palimpsest/knowledge';
import type { ProcessDocument } from './process-document.ts';
import { Turns, type Turn } from './turns.ts';

export type IngestionWorkerOptions = Readonly<{
  /** Documents at the same time. While one is embedded the next is parsed. */
  concurrency: number;
  maxAttempts: number;
  onError: (error: unknown, documentId: string) => void;
}>;

/** Documents beside those that are worked on, whose files take long to read. Each holds its file in memory meanwhile. */
export const DOCUMENTS_BESIDE = 4;

/** Takes document work from the bus until it is stopped. */
export const startIngestionWorker = (bus: MessageBus, documents: ProcessDocument, options: IngestionWorkerOptions): Promise<Consumer> => {
  const turns = new Turns(options.concurrency, DOCUMENTS_BESIDE);
  return bus.consume(
    {
      topic: TOPICS.ingestion, group: GROUPS.ingestion, concurrency: options.concurrency + DOCUMENTS_BESIDE, maxAttempts: options.maxAttempts,
      backoff: { baseMs: 2_000, capMs: 60_000 },
    },
    async (deliveries) => {
      for (const delivery of deliveries) {
        const inTurn = () => turns.run(delivery.signal, (turn) => handle(delivery, documents, options, turn));
        await whileServersAreAway(delivery.signal, inTurn, (error) => options.onError(error, delivery.key));
      }
    },
  );
};

/** No later attempt can do better. */
const isPermanent = (error: unknown): boolean => error instanceof EmbeddingModelMismatch || error instanceof ScopeKeyDestroyed || error instanceof Corrupt;

/**
 * Deliveries that came to no end count too: it may be the document that ends the process. A bus sets such a message aside by
 * itself some time, and then nobody would learn what became of the document.
 */
const MOST_DELIVERIES = 15;

const handle = async (delivery: Delivery, documents: ProcessDocument, { maxAttempts, onError }: IngestionWorkerOptions, turn: Turn): Promise<void> => {
  const parsed = processDocument.safeParse(JSON.parse(delivery.body));
  if (!parsed.success) throw new PermanentFailure(`not a document's work: ${parsed.error.message}`);
  if (delivery.attempt > Math.max(maxAttempts, MOST_DELIVERIES)) {
    const message = `the process ended ${delivery.attempt - 1} times while it was worked on`;
    await documents.fail(parsed.data, 'gave-up', message);
    throw new PermanentFailure(message);
  }
  try {
    await documents.run(parsed.data, delivery.signal, turn);
  } catch (error) {
    // Stopped on the way: the work stays on the bus, and is taken up again.
    if (delivery.signal.aborted || error instanceof ServerAway) throw error;
    onError(error, parsed.data.documentId);
    if (!isPermanent(error) && delivery.attempt < maxAttempts) throw error;
    const message = error instanceof Error ? error.message : String(error);
    await documents.fail(parsed.data, isPermanent(error) ? 'not-processable' : 'gave-up', message);
    throw new PermanentFailure(message, { cause: error });
  }
};
