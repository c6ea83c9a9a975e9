import type { FactBatch } from '@palimpsest/contracts';
import { nextTurn, type System } from '@palimpsest/foundation';
import { Unavailable } from '@palimpsest/knowledge/errors';
import { START, type Position } from '@palimpsest/knowledge/values';
import { BatchPipeline } from '../batch-pipeline.ts';
import { ReadModelProjector } from '../read-model-projector.ts';
import type { ProjectionTarget } from '../read-model-stores.ts';
import { Tombstones } from '../tombstones.ts';

const BATCH = 128;

/** Builds a set of read models from the log, in steps: each continues where the previous one ended. */
export class ViewBuild {
  readonly #target: ProjectionTarget;
  readonly #signal: AbortSignal;
  readonly #system: System;
  #position: Position = START;

  constructor(target: ProjectionTarget, signal: AbortSignal, system: System) {
    this.#system = system;
    this.#target = target;
    this.#signal = signal;
  }

  /** Projects everything up to a position, which is on the log. @throws Unavailable when the signal aborts */
  async upTo(position: Position): Promise<void> {
    const { journal } = this.#target;
    const projector = new ReadModelProjector(this.#target, await Tombstones.after(journal, this.#position, this.#signal));
    await projector.start();
    await new BatchPipeline(projector, () => undefined, this.#system.clock).run(this.#batches(projector, position), this.#signal);
    this.#position = position;
  }

  async *#batches({ handles }: ReadModelProjector, upTo: Position): AsyncIterable<FactBatch> {
    for await (const batch of this.#target.journal.readBatches({ from: this.#position, upTo, types: handles, batch: BATCH })) {
      if (this.#signal.aborted) throw new Unavailable('the process is stopping', { forCallers: true });
      yield { ...batch, caughtUp: false };
      // Searches are served meanwhile.
      await nextTurn(this.#system.scheduler);
    }
  }
}
