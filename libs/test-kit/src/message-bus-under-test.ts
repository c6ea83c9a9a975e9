import type { Message, MessageBus } from '@palimpsest/knowledge';

/** A fresh, empty bus, and power over its time and its life. */
export type MessageBusUnderTest = Readonly<{
  bus: MessageBus;
  /** Lets so much time pass for the bus (on its own clock, where the spec brings one) and what is due then happen. */
  passTime(ms: number): Promise<void>;
  /** Closes the bus and opens it again. */
  reopen(): Promise<MessageBus>;
  /** Ends the bus as a kill of its process would, whatever is under way, and opens it again. */
  crash(): Promise<MessageBus>;
  dispose(): Promise<void>;
}>;

export const note = (id: string, key = 'key'): Message => ({ id, key, headers: { traceparent: `00-${id}` }, body: JSON.stringify({ id }) });

/** Waits until the group has settled all, or all but so many, letting time pass for retries. */
export const settled = async (under: MessageBusUnderTest, bus: MessageBus, topic: string, group: string, allBut = 0): Promise<void> => {
  for (let round = 0; round < 500; round += 1) {
    if ((await bus.lag(topic, group)) === allBut) return;
    await under.passTime(50);
  }
  throw new Error(`group ${group} still has ${await bus.lag(topic, group)} messages of ${topic}`);
};
