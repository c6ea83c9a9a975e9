import type { FactBatch } from '@palimpsest/contracts';
import { changesEarlierFacts } from './changes-earlier-facts.ts';
import type { Prepared, ReadModelProjector } from './read-model-projector.ts';

/** Has one batch written while the next is prepared. */
export class BatchPipeline {
  readonly #projector: Pick<ReadModelProjector, 'prepare' | 'write'>;
  readonly #written: (batch: FactBatch, ms: number) => void;
  #writing: Promise<void> = Promise.resolve();
  /** The one that is being written changes how those behind it are to be read. */
  #changesEarlierFacts = false;

  /** `written` is told of each batch, in order, and how many milliseconds its own work took. */
  constructor(projector: Pick<ReadModelProjector, 'prepare' | 'write'>, written: (batch: FactBatch, ms: number) => void) {
    this.#projector = projector;
    this.#written = written;
  }

  /** All of them, until they end. @throws what went wrong; then nothing is being written any more */
  async run(batches: AsyncIterable<FactBatch>, signal: AbortSignal): Promise<void> {
    try {
      for await (const batch of batches) await this.take(batch, signal);
      await this.end();
    } finally {
      // Whoever tries again begins behind what was written.
      await this.end().catch(() => undefined);
    }
  }

  /** @throws what went wrong with this batch, or with the one before: then this one is not written */
  async take(batch: FactBatch, signal: AbortSignal): Promise<void> {
    if (this.#changesEarlierFacts) await this.#writing;
    this.#changesEarlierFacts = batch.facts.some(({ event }) => changesEarlierFacts(event));
    const began = performance.now();
    const prepared = await this.#projector.prepare(batch.facts, batch.upTo);
    const preparedMs = performance.now() - began;
    await this.#writing;
    this.#writing = this.#write(prepared, batch, preparedMs, signal);
    // Where none follows, nobody would be told.
    if (batch.caughtUp) await this.#writing;
    else this.#writing.catch(() => undefined);
  }

  /** When nothing is being written any more. @throws what went wrong with the last */
  async end(): Promise<void> {
    await this.#writing;
  }

  async #write(prepared: Prepared, batch: FactBatch, preparedMs: number, signal: AbortSignal): Promise<void> {
    const began = performance.now();
    await this.#projector.write(prepared, signal);
    this.#written(batch, preparedMs + performance.now() - began);
  }
}
