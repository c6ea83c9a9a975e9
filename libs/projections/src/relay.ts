import { GROUPS, TOPICS, type Journal } from '@palimpsest/contracts';
import type { Checkpoints, MessageBus } from '@palimpsest/knowledge/ports';
import type { HeldDocuments } from './held-documents.ts';
import { CHECKPOINT, RelayRun, relayOptions, type RelayOptions, type RelayPorts } from './relay-run.ts';

/**
 * Publishes work that follows from the log; nothing else puts commands on the bus. The bus works in order, so documents wait here and
 * not there: the documents of each tenant in log order, the tenants in turn. Only a limited number is on the bus, so that a new one
 * does not wait for long. Waiting documents are in memory only: the checkpoint stays before them.
 */
export class Relay {
  readonly #ports: RelayPorts;
  readonly #options: Required<RelayOptions>;

  /** @throws InvalidValue */
  constructor(journal: Journal, bus: MessageBus, checkpoints: Checkpoints, held: HeldDocuments, options: RelayOptions = {}) {
    this.#ports = { journal, bus, checkpoints, held };
    this.#options = relayOptions(options);
  }

  /** Runs until the signal aborts. @throws when the log, the bus or the checkpoints fail; running it again loses nothing */
  async run(signal: AbortSignal): Promise<void> {
    const { bus, checkpoints } = this.#ports;
    await bus.subscribe(TOPICS.ingestion, GROUPS.ingestion);
    await bus.subscribe(TOPICS.reembedding, GROUPS.reembedding);
    await new RelayRun(this.#ports, await checkpoints.get(CHECKPOINT), this.#options).run(signal);
  }
}
