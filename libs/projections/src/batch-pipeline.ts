import type { FactBatch } from '@palimpsest/contracts';
import { SYSTEM, type Clock } from '@palimpsest/foundation';
import { changesEarlierFacts } from './changes-earlier-facts.ts';
import type { Prepared, ReadModelProjector } from './read-model-projector.ts';

/** Prepares the next batch while the previous one is being written. */
export class BatchPipeline {
  readonly #projector: Pick<ReadModelProjector, 'prepare' | 'write'>;
  readonly #written: (batch: FactBatch, ms: number) => void;
  readonly #clock: Clock;
  #writing: Promise<void> = Promise.resolve();
  /** Whether the batch being written changes how later batches are read. */
  #changesEarlierFacts = false;

  /** `written` is called for each batch, in order, with the milliseconds of its own work. */
  constructor(
    projector: Pick<ReadModelProjector, 'prepare' | 'write'>,
    written: (batch: FactBatch, ms: number) => void,
    clock: Clock = SYSTEM.clock,
  ) {
    this.#clock = clock;
    this.#projector = projector;
    this.#written = written;
  }

  /** Runs all batches. @throws the first failure; nothing is being written any more by then */
  async run(batches: AsyncIterable<FactBatch>, signal: AbortSignal): Promise<void> {
    try {
      for await (const batch of batches) await this.take(batch, signal);
      await this.end();
    } finally {
      // A retry must start after what was written.
      await this.end().catch(() => undefined);
    }
  }

  /** @throws the failure of this batch, or of the previous one: then this one is not written */
  async take(batch: FactBatch, signal: AbortSignal): Promise<void> {
    if (this.#changesEarlierFacts) await this.#writing;
    this.#changesEarlierFacts = batch.facts.some(({ event }) => changesEarlierFacts(event));
    const began = this.#clock.elapsed();
    const prepared = await this.#projector.prepare(batch.facts, batch.upTo);
    const preparedMs = this.#clock.elapsed() - began;
    await this.#writing;
    this.#writing = this.#write(prepared, batch, preparedMs, signal);
    // If no batch follows, the failure would not be reported.
    if (batch.caughtUp) await this.#writing;
    else this.#writing.catch(() => undefined);
  }

  /** Resolves when nothing is being written any more. @throws the failure of the last batch */
  async end(): Promise<void> {
    await this.#writing;
  }

  async #write(prepared: Prepared, batch: FactBatch, preparedMs: number, signal: AbortSignal): Promise<void> {
    const began = this.#clock.elapsed();
    await this.#projector.write(prepared, signal);
    this.#written(batch, preparedMs + this.#clock.elapsed() - began);
  }
}
