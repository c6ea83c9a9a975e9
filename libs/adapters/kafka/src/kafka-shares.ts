import { InvalidValue, type Participation, type Shares } from '@palimpsest/knowledge';
import type { Hold } from './held-share.ts';
import { KafkaLink } from './kafka-link.ts';
import { kafkaSettings, type KafkaOptions, type KafkaSettings } from './kafka-options.ts';
import { KafkaParticipation } from './kafka-participation.ts';
import { sharesTopic } from './names.ts';
import { ensureTopic, replicated } from './topics.ts';

/** Shares of work by Kafka's consumer groups: a topic without messages per task, a partition per share. */
export class KafkaShares implements Shares {
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
    await this.#link.ask('open shares', async (cluster) => cluster.refreshMetadata());
  }

  async takePart(task: string, count: number, hold: Hold): Promise<Participation> {
    this.#checkOpen();
    const name = sharesTopic(this.#settings.prefix, task);
    if (!Number.isInteger(count) || count < 1) throw new InvalidValue('count', 'a whole number, at least 1', count);
    const known = await ensureTopic(this.#link, { ...replicated(this.#settings), name, partitions: count });
    if (known !== count) throw new InvalidValue('count', `${known}, as others say who take part`, count);
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

  /** Ends as the end of the process would. */
  async kill(): Promise<void> {
    this.#closed ??= Promise.resolve();
    this.#link.kill();
    await Promise.all([...this.#parts].map((part) => part.kill()));
    await this.#link.close();
  }

  #checkOpen(): void {
    if (this.#closed !== undefined) throw new Error('the shares are closed');
  }
}

/** Resolves when the cluster has answered. @throws InvalidValue, Unavailable */
export const openKafkaShares = async (options: KafkaOptions): Promise<Shares> => openKillableKafkaShares(options);

/** For specs: shares that can end as those of a killed process do. */
export const openKillableKafkaShares = async (options: KafkaOptions): Promise<KafkaShares> => {
  const shares = new KafkaShares(kafkaSettings(options));
  try {
    await shares.open();
    return shares;
  } catch (error) {
    await shares.close();
    throw error;
  }
};
