import { GROUPS, TOPICS, type Journal } from '@palimpsest/contracts';
import type { Checkpoints, MessageBus } from '@palimpsest/knowledge';
import type { HeldDocuments } from './held-documents.ts';
import { CHECKPOINT, RelayRun, relayOptions, type RelayOptions, type RelayPorts } from './relay-run.ts';

/**
 * Work follows from the log, never beside it: this is the only place where commands get onto the bus. The bus works in order,
 * so documents wait here and not there: each tenant's in the order of the log, the tenants in turn, and only so many on the
 * bus that a newcomer need not wait for long. What waits is in memory alone: a checkpoint stays before it.
 */
export class Relay {
  readonly #ports: RelayPorts;
  readonly #options: Required<RelayOptions>;

  /** @throws InvalidValue */
  constructor(journal: Journal, bus: MessageBus, checkpoints: Checkpoints, held: HeldDocuments, options: RelayOptions = {}) {
    this.#ports = { journal, bus, checkpoints, held };
    this.#options = relayOptions(options);
  }

  /** Runs until the signal aborts. @throws when the log, the bus or the checkpoints fail; nothing is lost by running it again */
  async run(signal: AbortSignal): Promise<void> {
    const { bus, checkpoints } = this.#ports;
    await bus.subscribe(TOPICS.ingestion, GROUPS.ingestion);
    await bus.subscribe(TOPICS.reembedding, GROUPS.reembedding);
    await new RelayRun(this.#ports, await checkpoints.get(CHECKPOINT), this.#options).run(signal);
  }
}
