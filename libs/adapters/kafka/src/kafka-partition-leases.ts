import { InvalidValue } from '@palimpsest/knowledge/errors';
import type { LeaseMembership, PartitionLeases } from '@palimpsest/knowledge/ports';
import type { WhileHeld } from './held-lease.ts';
import { KafkaLink } from './kafka-link.ts';
import { kafkaSettings, type KafkaOptions, type KafkaSettings } from './kafka-options.ts';
import { KafkaParticipation } from './kafka-participation.ts';
import { sharesTopic } from './names.ts';
import { ensureTopic, replicated } from './topics.ts';

/** Partition leases on Kafka's consumer groups: a topic without messages per task, one partition per share. */
export class KafkaPartitionLeases implements PartitionLeases {
  readonly #settings: KafkaSettings;
  readonly #link: KafkaLink;
  readonly #parts = new Set<KafkaParticipation>();
  #closed: Promise<void> | undefined;

  constructor(settings: KafkaSettings) {
    this.#settings = settings;
    this.#link = new KafkaLink(settings);
  }

  /** Resolves when the cluster has answered. @throws Unavailable */
  async open(): Promise<void> {
    await this.#link.ask('open partition leases', async (cluster) => cluster.refreshMetadata());
  }

  async join(task: string, count: number, hold: WhileHeld): Promise<LeaseMembership> {
    this.#checkOpen();
    const name = sharesTopic(this.#settings.prefix, task);
    if (!Number.isInteger(count) || count < 1) throw new InvalidValue('count', 'a whole number, at least 1', count);
    const known = await ensureTopic(this.#link, { ...replicated(this.#settings), name, partitions: count });
    if (known !== count) throw new InvalidValue('count', `${known}, as in the other processes of this task`, count);
    this.#checkOpen();
    const part = new KafkaParticipation(this.#link, name, hold);
    this.#parts.add(part);
    return part;
  }

  close(): Promise<void> {
    this.#closed ??= (async () => {
      await Promise.all([...this.#parts].map((part) => part.leave()));
      await this.#link.close();
    })();
    return this.#closed;
  }

  /** Behaves as if the process had ended. */
  async kill(): Promise<void> {
    this.#closed ??= Promise.resolve();
    this.#link.kill();
    await Promise.all([...this.#parts].map((part) => part.kill()));
    await this.#link.close();
  }

  #checkOpen(): void {
    if (this.#closed !== undefined) throw new Error('the partition leases are closed');
  }
}

/** Resolves when the cluster has answered. @throws InvalidValue, Unavailable */
export const openKafkaShares = async (options: KafkaOptions): Promise<PartitionLeases> => openKillableKafkaShares(options);

/** For specs: partition leases that can end like those of a killed process. */
export const openKillableKafkaShares = async (options: KafkaOptions): Promise<KafkaPartitionLeases> => {
  const shares = new KafkaPartitionLeases(kafkaSettings(options));
  try {
    await shares.open();
    return shares;
  } catch (error) {
    await shares.close();
    throw error;
  }
};
