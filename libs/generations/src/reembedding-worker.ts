import { GROUPS, isOfServer, reembed, TOPICS, whileServersAreAway, type Reembed } from '@palimpsest/contracts';
import type { System } from '@palimpsest/foundation';
import { EmbeddingModelMismatch, ModelChanged, Unavailable } from '@palimpsest/knowledge/errors';
import { PermanentFailure, ScopeKeyDestroyed } from '@palimpsest/knowledge/ports';
import type { Consumer, Delivery, MessageBus } from '@palimpsest/knowledge/ports';
import type { BuildGeneration } from './build-generation.ts';
import type { PauseSwaps } from './pause-swaps.ts';
import type { Run } from './run.ts';

const GRACE_MS = 10_000;
/** A swap is paused after this number of failures of one message in a row. The bus waits up to a minute between two attempts. */
const PAUSE_AFTER = 6;
/** Work that belongs to no swap becomes a dead letter after this number of attempts. */
const ATTEMPTS = 10;
/** A swap ends only by its own events, however often the processes that work on it are killed. */
const ATTEMPTS_OF_SWAPS = 1_000;

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
  /** By message key. Counted here, since attempts of the bus include those that ended with their process. */
  readonly #failures = new Map<string, number>();
  #consumer: Consumer | undefined;

  constructor(ports: ReembeddingWorkerPorts) {
    this.#ports = ports;
  }

  async start(): Promise<void> {
    const { bus, concurrency } = this.#ports;
    this.#consumer = await bus.consume(
      { topic: TOPICS.reembedding, group: GROUPS.reembedding, concurrency, maxAttempts: ATTEMPTS_OF_SWAPS },
      async (deliveries) => {
        for (const delivery of deliveries) await this.#handle(delivery);
      },
    );
  }

  async stop(): Promise<void> {
    await this.#consumer?.stop(GRACE_MS);
  }

  async #handle({ body, signal, attempt, key }: Delivery): Promise<void> {
    const parsed = reembed.safeParse(JSON.parse(body));
    if (!parsed.success) throw new PermanentFailure(`invalid re-embedding message: ${parsed.error.message}`);
    const work = parsed.data;
    const run: Run = { scope: { tenant: work.tenant, scope: work.scope }, correlationId: work.correlationId, signal };
    await whileServersAreAway(
      signal,
      async () => {
        try {
          await this.#run(run, work);
          this.#failures.delete(key);
        } catch (error) {
          if (signal.aborted) throw error;
          if (!isOfServer(error)) this.#ports.onFault(error, `re-embedding scope ${work.tenant}/${work.scope}`);
          if (await this.#paused(run, work, error, key)) return;
          const hopeless =
            error instanceof EmbeddingModelMismatch ||
            error instanceof ScopeKeyDestroyed ||
            (attempt >= ATTEMPTS && work.range === undefined);
          throw hopeless && !isOfServer(error) ? new PermanentFailure(messageOf(error), { cause: error }) : error;
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

  /** Whether the swap is paused now, so that the message is settled: resuming the swap publishes it again. */
  async #paused(run: Run, { documentId, generation }: Reembed, error: unknown, key: string): Promise<boolean> {
    if (documentId !== undefined) return false;
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    const lasting = lastingReason(error);
    if (lasting === undefined && failures < PAUSE_AFTER) return false;
    const detail = error instanceof Unavailable && error.forCallers ? `: ${error.message}` : '';
    const reason = lasting ?? `the model or a store failed ${failures} times in a row${detail}`;
    const paused = await this.#ports.swaps.byPlatform(run, reason, generation);
    if (paused) this.#failures.delete(key);
    return paused;
  }
}

/** Why no further attempt can succeed until a person has done something. */
const lastingReason = (error: unknown): string | undefined => {
  if (error instanceof EmbeddingModelMismatch || error instanceof ModelChanged) return error.message;
  return error instanceof ScopeKeyDestroyed ? 'the scope was erased: cancel the swap' : undefined;
};

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
