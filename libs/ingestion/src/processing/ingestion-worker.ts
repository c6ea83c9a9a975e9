import { GROUPS, isOfServer, processDocument, TOPICS, whileServersAreAway } from '@palimpsest/contracts';
import type { System } from '@palimpsest/foundation';
import { Corrupt, EmbeddingModelMismatch, Unavailable } from '@palimpsest/knowledge/errors';
import { PermanentFailure, ScopeKeyDestroyed } from '@palimpsest/knowledge/ports';
import type { Consumer, Delivery, MessageBus } from '@palimpsest/knowledge/ports';
import type { ProcessDocument } from './process-document.ts';
import { Semaphore, type Permit } from './semaphore.ts';

export type IngestionWorkerOptions = Readonly<{
  /** Documents processed at the same time. While one is embedded the next is parsed. */
  concurrency: number;
  maxAttempts: number;
  onError: (error: unknown, documentId: string) => void;
  system?: System;
}>;

/** Maximum number of documents that yielded their permit because their files take long to parse. Each keeps its file in memory meanwhile. */
export const MAX_YIELDED_DOCUMENTS = 4;

/** Processes documents from the bus until it is stopped. */
export const startIngestionWorker = (bus: MessageBus, documents: ProcessDocument, options: IngestionWorkerOptions): Promise<Consumer> => {
  const semaphore = new Semaphore(options.concurrency, MAX_YIELDED_DOCUMENTS);
  return bus.consume(
    {
      topic: TOPICS.ingestion,
      group: GROUPS.ingestion,
      concurrency: options.concurrency + MAX_YIELDED_DOCUMENTS,
      maxAttempts: options.maxAttempts,
      backoff: { baseMs: 2_000, capMs: 60_000 },
    },
    async (deliveries) => {
      for (const delivery of deliveries) {
        const attempt = () => semaphore.run(delivery.signal, (permit) => handle(delivery, documents, options, permit));
        await whileServersAreAway(delivery.signal, attempt, (error) => options.onError(error, delivery.key), options.system);
      }
    },
  );
};

/** Retrying cannot help. */
const isPermanent = (error: unknown): boolean => error instanceof EmbeddingModelMismatch || error instanceof Corrupt;

/**
 * Also counts deliveries that never completed: the document may crash the process. After more deliveries the bus would
 * dead-letter the message on its own, and the document would never get a final status.
 */
const MAX_DELIVERIES = 15;

/** The detail of `DocumentFailed`. Readers of the document see it, so it names no stream, file or server; the dead letter and the log do. */
const detailFor = (error: unknown): string => {
  if (error instanceof EmbeddingModelMismatch || (error instanceof Unavailable && error.forCallers)) return error.message;
  if (error instanceof Corrupt) return 'the stored upload or a key that it needs is damaged or missing; `palimpsest verify` names it';
  return error instanceof Unavailable
    ? 'a service that processing needs was not available'
    : 'an unexpected error; see the service log for details';
};

const handle = async (
  delivery: Delivery,
  documents: ProcessDocument,
  { maxAttempts, onError }: IngestionWorkerOptions,
  permit: Permit,
): Promise<void> => {
  const parsed = processDocument.safeParse(JSON.parse(delivery.body));
  if (!parsed.success) throw new PermanentFailure(`malformed message: ${parsed.error.message}`);
  if (delivery.attempt > Math.max(maxAttempts, MAX_DELIVERIES)) {
    const message = `the process ended ${delivery.attempt - 1} times while it processed this document`;
    await documents.fail(parsed.data, 'gave-up', message);
    throw new PermanentFailure(message);
  }
  try {
    await documents.run(parsed.data, delivery.signal, permit);
  } catch (error) {
    // Stopped during processing: the message stays on the bus and is delivered again.
    if (delivery.signal.aborted || isOfServer(error)) throw error;
    // The scope or the person was erased: nothing is left to index, or to record.
    if (error instanceof ScopeKeyDestroyed) return;
    onError(error, parsed.data.documentId);
    if (!isPermanent(error) && delivery.attempt < maxAttempts) throw error;
    await documents.fail(parsed.data, isPermanent(error) ? 'not-processable' : 'gave-up', detailFor(error));
    throw new PermanentFailure(error instanceof Error ? error.message : String(error), { cause: error });
  }
};
