import type { FactBatch } from '@palimpsest/contracts';
import { nextTurn, SYSTEM, type System } from '@palimpsest/foundation';
import { KnowledgeError, Unavailable } from '@palimpsest/knowledge/errors';
import type { DomainEventType } from '@palimpsest/knowledge/events';
import type { RecordedEvent } from '@palimpsest/knowledge/ports';
import { START, type Position } from '@palimpsest/knowledge/values';
import { BatchPipeline } from '../batch-pipeline.ts';
import { ReadModelProjector } from '../read-model-projector.ts';
import type { ProjectionTarget } from '../read-model-stores.ts';
import { Tombstones } from '../tombstones.ts';

const BATCH = 128;

/** Holds a build back. `batch`: facts to project at a time. `next` resolves when the next ones may be projected. */
export type BuildPace = Readonly<{ batch: () => number; next: (facts: number, signal: AbortSignal) => Promise<void> }>;

type BuildOptions = Readonly<{
  /** The target has everything up to it. */
  from?: Position;
  signal?: AbortSignal;
  /** What a step does not write, since later facts remove it. Default: what is removed by the end of the log. */
  tombstones?: (from: Position, upTo: Position) => Promise<Tombstones>;
  /** Events that are not even decoded. */
  isSkipped?: (recorded: RecordedEvent) => boolean;
  pace?: BuildPace;
  /** Called for each batch that was written. */
  onWritten?: (batch: FactBatch) => void;
}>;

/** Builds a set of read models from the log, in steps: each continues where the previous one ended. */
export class ViewBuild {
  readonly #target: ProjectionTarget;
  readonly #options: BuildOptions;
  readonly #signal: AbortSignal;
  readonly #system: System;
  /** Of the last event that was read. It is one that the log assigned, which a requested position may not be. */
  #position: Position;

  constructor(target: ProjectionTarget, options: BuildOptions = {}, system: System = SYSTEM) {
    this.#system = system;
    this.#target = target;
    this.#options = options;
    this.#position = options.from ?? START;
    this.#signal = options.signal ?? new AbortController().signal;
  }

  /** The event types that it reads. */
  get handles(): readonly DomainEventType[] {
    return new ReadModelProjector(this.#target).handles;
  }

  get position(): Position {
    return this.#position;
  }

  /** Projects everything up to a position, which is on the log. @throws Unavailable when the signal aborts, or the error that it gives as its reason */
  async upTo(position: Position): Promise<void> {
    const { journal } = this.#target;
    const { tombstones = (from) => Tombstones.after(journal, from, { signal: this.#signal }) } = this.#options;
    if (this.#signal.aborted) throw this.#end();
    const projector = new ReadModelProjector(this.#target, await tombstones(this.#position, position));
    await projector.start(this.#position);
    const { onWritten = () => undefined } = this.#options;
    const written = (batch: FactBatch): void => {
      this.#position = batch.upTo;
      onWritten(batch);
    };
    await new BatchPipeline(projector, written, this.#system.clock).run(this.#batches(projector, position), this.#signal);
  }

  async *#batches({ handles }: ReadModelProjector, upTo: Position): AsyncIterable<FactBatch> {
    const { isSkipped, pace } = this.#options;
    const batch = (): number => pace?.batch() ?? BATCH;
    for await (const read of this.#target.journal.readBatches({
      from: this.#position,
      upTo,
      types: handles,
      batch,
      ...(isSkipped ? { isSkipped } : {}),
    })) {
      await pace?.next(read.facts.length, this.#signal);
      if (this.#signal.aborted) throw this.#end();
      yield { ...read, caughtUp: false };
      // Searches are served meanwhile.
      await nextTurn(this.#system.scheduler);
    }
  }

  #end(): KnowledgeError {
    const reason: unknown = this.#signal.reason;
    return reason instanceof KnowledgeError ? reason : new Unavailable('the process is stopping', { forCallers: true });
  }
}
