import type { MessageBus } from '@palimpsest/knowledge/ports';
import { KafkaMessageBus } from './kafka-message-bus.ts';
import { kafkaBusSettings, type KafkaBusOptions } from './kafka-options.ts';

/** Resolves when the cluster has answered. @throws InvalidValue, Unavailable */
export const openKafkaMessageBus = async (options: KafkaBusOptions): Promise<MessageBus> => openKillableKafkaBus(options);

/** For specs: a bus that can end as a killed process does. */
export const openKillableKafkaBus = async (options: KafkaBusOptions): Promise<KafkaMessageBus> => {
  const bus = new KafkaMessageBus(kafkaBusSettings(options));
  try {
    await bus.open();
    return bus;
  } catch (error) {
    await bus.close();
    throw error;
  }
};
