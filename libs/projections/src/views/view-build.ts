import type { FactBatch } from '@palimpsest/contracts';
import { nextTurn, SYSTEM, type System } from '@palimpsest/foundation';
import { Unavailable } from '@palimpsest/knowledge/errors';
import type { DomainEvent, Fact } from '@palimpsest/knowledge/events';
import { START, type Position } from '@palimpsest/knowledge/values';
import { BatchPipeline } from '../batch-pipeline.ts';
import { ReadModelProjector } from '../read-model-projector.ts';
import type { ProjectionTarget } from '../read-model-stores.ts';
import { Tombstones } from '../tombstones.ts';

const BATCH = 128;

type BuildOptions = Readonly<{
  signal?: AbortSignal;
  /** What a step does not write, since later facts remove it. Default: what is removed by the end of the log. */
  tombstones?: (from: Position) => Promise<Tombstones>;
  /** Facts that are left out. */
  isOmitted?: (fact: Fact<DomainEvent>) => boolean;
}>;

/** Builds a set of read models from the log, in steps: each continues where the previous one ended. */
export class ViewBuild {
  readonly #target: ProjectionTarget;
  readonly #options: BuildOptions;
  readonly #signal: AbortSignal;
  readonly #system: System;
  #position: Position = START;

  constructor(target: ProjectionTarget, options: BuildOptions = {}, system: System = SYSTEM) {
    this.#system = system;
    this.#target = target;
    this.#options = options;
    this.#signal = options.signal ?? new AbortController().signal;
  }

  /** Projects everything up to a position, which is on the log. @throws Unavailable when the signal aborts */
  async upTo(position: Position): Promise<void> {
    const { journal } = this.#target;
    const { tombstones = (from) => Tombstones.after(journal, from, this.#signal) } = this.#options;
    const projector = new ReadModelProjector(this.#target, await tombstones(this.#position));
    await projector.start();
    await new BatchPipeline(projector, () => undefined, this.#system.clock).run(this.#batches(projector, position), this.#signal);
    this.#position = position;
  }

  async *#batches({ handles }: ReadModelProjector, upTo: Position): AsyncIterable<FactBatch> {
    const { isOmitted } = this.#options;
    for await (const batch of this.#target.journal.readBatches({ from: this.#position, upTo, types: handles, batch: BATCH })) {
      if (this.#signal.aborted) throw new Unavailable('the process is stopping', { forCallers: true });
      const facts = isOmitted === undefined ? batch.facts : batch.facts.filter((fact) => !isOmitted(fact));
      yield { ...batch, facts, caughtUp: false };
      // Searches are served meanwhile.
      await nextTurn(this.#system.scheduler);
    }
  }
}
