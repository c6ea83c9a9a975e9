import { SYSTEM } from '@palimpsest/foundation';
import type { Delivery, EmbeddingProvider, EventLog, MessageBus, NewEvent } from '@palimpsest/knowledge/ports';
import { delegating } from '../delegating.ts';
import { categoryOf } from '../observer.ts';
import type { Instruments } from './instruments.ts';

export const measuredEventLog = (log: EventLog, instruments: Instruments): EventLog => {
  const count = (events: readonly NewEvent[]): void => {
    for (const { type } of events) instruments.appendedEvents.inc({ type });
  };
  return delegating(log, {
    append: async (stream, events, expected) => {
      const category = categoryOf(stream);
      const end = instruments.appendDuration.startTimer({ category });
      try {
        const result = await log.append(stream, events, expected);
        if (result.outcome === 'conflict') instruments.appendConflicts.inc({ category });
        else if (!result.repeated) count(events);
        return result;
      } catch (error) {
        instruments.appendFailures.inc({ category });
        throw error;
      } finally {
        end();
      }
    },
  });
};

export const measuredMessageBus = (bus: MessageBus, { busWait, handleDuration }: Instruments): MessageBus =>
  delegating(bus, {
    consume: (options, handler) => {
      const labels = { topic: options.topic, group: options.group };
      return bus.consume(options, async (deliveries) => {
        for (const delivery of deliveries) if (delivery.attempt === 1) busWait.observe(labels, secondsSince(delivery));
        const end = handleDuration.startTimer(labels);
        try {
          await handler(deliveries);
          end({ outcome: 'settled' });
        } catch (error) {
          end({ outcome: 'failed' });
          throw error;
        }
      });
    },
  });

/** Clocks of two machines may differ: a wait is never below zero. */
const secondsSince = ({ publishedAt }: Delivery): number => Math.max(0, (SYSTEM.clock.now() - Date.parse(publishedAt)) / 1_000);

export const measuredEmbedding = (provider: EmbeddingProvider, { embeddingDuration, embeddingFailures }: Instruments): EmbeddingProvider =>
  delegating(provider, {
    embed: async (texts, kind, signal) => {
      const labels = { version: provider.version, kind };
      const end = embeddingDuration.startTimer(labels);
      try {
        const embeddings = await provider.embed(texts, kind, signal);
        end();
        return embeddings;
      } catch (error) {
        // An aborted call is not a failure of the model.
        if (signal?.aborted !== true) embeddingFailures.inc(labels);
        throw error;
      }
    },
  });
