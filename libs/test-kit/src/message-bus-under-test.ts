import type { Message, MessageBus } from '@palimpsest/knowledge/ports';

/** A new, empty bus, with control over its clock and its process. */
export type MessageBusUnderTest = Readonly<{
  bus: MessageBus;
  /** Advances the time of the bus (on its own clock, if the spec has one) and runs what is due. */
  passTime(ms: number): Promise<void>;
  /** Closes the bus and opens it again. */
  reopen(): Promise<MessageBus>;
  /** Ends the bus like a kill of its process, and opens it again. */
  crash(): Promise<MessageBus>;
  dispose(): Promise<void>;
}>;

export const note = (id: string, key = 'key'): Message => ({ id, key, headers: { traceparent: `00-${id}` }, body: JSON.stringify({ id }) });

/** Waits until the group has settled all but `allBut` messages, letting time pass for retries. */
export const settled = async (under: MessageBusUnderTest, bus: MessageBus, topic: string, group: string, allBut = 0): Promise<void> => {
  for (let round = 0; round < 500; round += 1) {
    if ((await bus.lag(topic, group)) === allBut) return;
    await under.passTime(50);
  }
  throw new Error(`group ${group} still has ${await bus.lag(topic, group)} messages of ${topic}`);
};
