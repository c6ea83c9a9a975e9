import { GROUPS, reembed, TOPICS, whileServersAreAway, type Reembed } from '@palimpsest/contracts';
import type { System } from '@palimpsest/foundation';
import { Conflict, EmbeddingModelMismatch, KnowledgeError, ServerAway } from '@palimpsest/knowledge/errors';
import { PermanentFailure } from '@palimpsest/knowledge/ports';
import type { Consumer, Delivery, MessageBus } from '@palimpsest/knowledge/ports';
import type { BuildGeneration, Run } from './build-generation.ts';
import type { PauseSwaps } from './pause-swaps.ts';

const GRACE_MS = 10_000;
/** A swap is paused after this number of failures of one message. The bus waits up to a minute between two attempts. */
const PAUSE_AFTER = 6;
/** More than `PAUSE_AFTER`, so that no message of a swap becomes a dead letter. */
const MAX_ATTEMPTS = 10;

export type ReembeddingWorkerPorts = Readonly<{
  bus: MessageBus;
  build: BuildGeneration;
  swaps: PauseSwaps;
  /** Messages handled at the same time. Messages of different ranges, scopes and tenants run in parallel. */
  concurrency: number;
  onFault: (error: unknown, about: string) => void;
  system?: System;
}>;

/** Processes re-embedding messages from the bus. A swap whose model fails is paused with a reason. */
export class ReembeddingWorker {
  readonly #ports: ReembeddingWorkerPorts;
  #consumer: Consumer | undefined;

  constructor(ports: ReembeddingWorkerPorts) {
    this.#ports = ports;
  }

  async start(): Promise<void> {
    const { bus, concurrency } = this.#ports;
    this.#consumer = await bus.consume(
      { topic: TOPICS.reembedding, group: GROUPS.reembedding, concurrency, maxAttempts: MAX_ATTEMPTS },
      async (deliveries) => {
        for (const delivery of deliveries) await this.#handle(delivery);
      },
    );
  }

  async stop(): Promise<void> {
    await this.#consumer?.stop(GRACE_MS);
  }

  async #handle({ body, signal, attempt }: Delivery): Promise<void> {
    const parsed = reembed.safeParse(JSON.parse(body));
    if (!parsed.success) throw new PermanentFailure(`invalid re-embedding message: ${parsed.error.message}`);
    const work = parsed.data;
    const run: Run = { scope: { tenant: work.tenant, scope: work.scope }, correlationId: work.correlationId, signal };
    let away = 0;
    await whileServersAreAway(
      signal,
      async () => {
        try {
          await this.#run(run, work);
        } catch (error) {
          if (signal.aborted) throw error;
          const failures = error instanceof ServerAway ? ++away : attempt;
          if (!(error instanceof ServerAway)) this.#ports.onFault(error, `re-embedding scope ${work.tenant}/${work.scope}`);
          await this.#pauseOrThrow(run, work, error, failures);
        }
      },
      (error) => this.#ports.onFault(error, 're-embedding'),
      this.#ports.system,
    );
  }

  async #run(run: Run, { documentId, generation, range }: Reembed): Promise<void> {
    const { build } = this.#ports;
    if (documentId !== undefined) await build.document(run, documentId);
    else if (generation !== undefined && range !== undefined) await build.range(run, generation, range);
    else await build.whole(run);
  }

  /** Resolves if the swap was paused, so that the message is settled: resuming the swap publishes it again. */
  async #pauseOrThrow(run: Run, { documentId, generation }: Reembed, error: unknown, failures: number): Promise<void> {
    const reason = reasonToPause(error, failures);
    if (documentId === undefined && reason !== undefined && (await this.#ports.swaps.byPlatform(run, reason, generation))) return;
    throw error instanceof EmbeddingModelMismatch ? new PermanentFailure(error.message, { cause: error }) : error;
  }
}

/** Tenants see the reason, so it names no server. Operators find the failure in the log of the process. */
const reasonToPause = (error: unknown, failures: number): string | undefined => {
  if (error instanceof EmbeddingModelMismatch) return error.message;
  if (!(error instanceof KnowledgeError) || error instanceof Conflict || failures < PAUSE_AFTER) return undefined;
  return error.retryable ? `the model or a store failed ${failures} times in a row` : error.message;
};
