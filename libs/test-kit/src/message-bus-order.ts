import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Delivery, MessageBus } from '@palimpsest/knowledge/ports';
import { note, settled, type MessageBusUnderTest } from './message-bus-under-test.ts';
import { gate, MessageRecorder } from './message-recorder.ts';

const BACKOFF = { baseMs: 20, capMs: 100 };

export const describeBusOrder = (name: string, open: () => Promise<MessageBusUnderTest>): void =>
  describe(`${name} handles the messages of one key in order`, () => {
    let under: MessageBusUnderTest;
    let bus: MessageBus;
    beforeEach(async () => {
      under = await open();
      bus = under.bus;
    });
    afterEach(() => under.dispose());

    it('blocks later messages of a key during a retry, but not other keys', async () => {
      const recorder = new MessageRecorder(async ([one]) => {
        if (one?.id === 'a1' && one.attempt <= 2) throw new Error('not yet');
      });
      await bus.publish('topic', [note('a1', 'a'), note('a2', 'a'), note('b1', 'b'), note('b2', 'b')]);
      await bus.consume({ topic: 'topic', group: 'group', backoff: BACKOFF }, recorder.handler);
      await settled(under, bus, 'topic', 'group');
      expect(idsOf(recorder, 'a')).toEqual(['a1', 'a1', 'a1', 'a2']);
      expect(idsOf(recorder, 'b')).toEqual(['b1', 'b2']);
    });

    it('blocks later messages during a retry across a restart', async () => {
      const failing = new MessageRecorder(async () => {
        throw new Error('not yet');
      });
      const backoff = { baseMs: 1_000, capMs: 1_000 };
      await bus.publish('topic', [note('a1', 'a'), note('a2', 'a')]);
      const consumer = await bus.consume({ topic: 'topic', group: 'group', backoff }, failing.handler);
      await failing.until(1);
      await consumer.stop();
      bus = await under.reopen();
      const recorder = new MessageRecorder();
      await bus.consume({ topic: 'topic', group: 'group' }, recorder.handler);
      await under.passTime(1_000);
      await recorder.until(2);
      expect(recorder.deliveries.map(({ id, attempt }) => `${id} ${attempt}`)).toEqual(['a1 2', 'a2 1']);
    });

    it('continues with the next message when one becomes a dead letter', async () => {
      const recorder = new MessageRecorder(async ([one]) => {
        if (one?.id === 'a1') throw new Error('never');
      });
      await bus.publish('topic', [note('a1', 'a'), note('a2', 'a')]);
      await bus.consume({ topic: 'topic', group: 'group', maxAttempts: 2, backoff: BACKOFF }, recorder.handler);
      await settled(under, bus, 'topic', 'group');
      expect(recorder.ids).toEqual(['a1', 'a1', 'a2']);
    });

    it('delivers a crashed message again before later ones', async () => {
      const hanging = new MessageRecorder(() => gate().opened);
      await bus.publish('topic', [note('a1', 'a'), note('a2', 'a')]);
      await bus.consume({ topic: 'topic', group: 'group' }, hanging.handler);
      await hanging.until(1);
      bus = await under.crash();
      const recorder = new MessageRecorder();
      await bus.consume({ topic: 'topic', group: 'group' }, recorder.handler);
      await recorder.until(2);
      expect(recorder.deliveries.map(({ id, attempt }) => `${id} ${attempt}`)).toEqual(['a1 2', 'a2 1']);
    });

    it('never puts two messages of one key into one batch', async () => {
      const recorder = new MessageRecorder();
      const messages = Array.from({ length: 30 }, (_, i) => note(`${i}`, `key ${i % 7}`));
      await bus.publish('topic', messages);
      await bus.consume({ topic: 'topic', group: 'group', batchSize: 5 }, recorder.handler);
      await settled(under, bus, 'topic', 'group');
      expect(recorder.batches.every((batch) => new Set(batch.map(({ key }) => key)).size === batch.length)).toBe(true);
      expect(Math.max(...recorder.batches.map((batch) => batch.length))).toBeGreaterThan(1);
      expect(recorder.batches.every((batch) => batch.length <= 5)).toBe(true);
    });

    it('keeps the order of every key, one at a time, for any failures and any number of consumers', async () => {
      let run = 0;
      await fc.assert(
        fc.asyncProperty(scenario, async ({ failures, members, concurrency, batchSize }) => {
          run += 1;
          const topic = `topic ${run}`;
          const messages = failures.map(({ key }, i) => note(`${i}`, key));
          const log = new KeyLog((id) => failures[Number(id)]?.times ?? 0);
          await bus.subscribe(topic, 'group');
          await bus.publish(topic, messages);
          const options = { topic, group: 'group', concurrency, batchSize, maxAttempts: 3, backoff: BACKOFF };
          const consumers = await Promise.all(Array.from({ length: members }, () => bus.consume(options, log.handler)));
          await settled(under, bus, topic, 'group');
          await Promise.all(consumers.map((consumer) => consumer.stop()));
          expect(log.overlaps).toEqual([]);
          for (const key of KEYS) expect(log.order(key)).toEqual(messages.filter((message) => message.key === key).map(({ id }) => id));
          // A failure fails the whole batch, so that other messages can become dead letters.
          const dead = failures.flatMap(({ times }, i) => (times >= 3 ? [`${i}`] : []));
          const died = (await bus.deadLetters({ topic })).map(({ message }) => message.id);
          expect(died).toEqual(expect.arrayContaining(dead));
          if (batchSize === 1) expect(died).toHaveLength(dead.length);
        }),
        { numRuns: 12 },
      );
    });
  });

const KEYS = ['a', 'b', 'c'];
const scenario = fc.record({
  failures: fc.array(fc.record({ key: fc.constantFrom(...KEYS), times: fc.constantFrom(0, 0, 0, 1, 2, 3) }), {
    minLength: 1,
    maxLength: 15,
  }),
  members: fc.integer({ min: 1, max: 3 }),
  concurrency: fc.integer({ min: 1, max: 3 }),
  batchSize: fc.integer({ min: 1, max: 3 }),
});

/** A handler that fails each message `failuresOf` times and records keys that are handled concurrently. */
class KeyLog {
  readonly overlaps: string[] = [];
  private readonly deliveries: Delivery[] = [];
  private readonly busy = new Set<string>();
  private readonly failuresOf: (id: string) => number;

  constructor(failuresOf: (id: string) => number) {
    this.failuresOf = failuresOf;
  }

  readonly handler = async (batch: readonly Delivery[]): Promise<void> => {
    for (const { key } of batch) if (this.busy.has(key)) this.overlaps.push(key);
    for (const { key } of batch) this.busy.add(key);
    this.deliveries.push(...batch);
    await new Promise((resolve) => setImmediate(resolve));
    for (const { key } of batch) this.busy.delete(key);
    const failing = batch.find(({ id, attempt }) => attempt <= this.failuresOf(id));
    if (failing !== undefined) throw new Error(`attempt ${failing.attempt} of ${failing.id} fails`);
  };

  /** The ids of a key in delivery order, without immediate repetitions. */
  order(key: string): readonly string[] {
    const ids = this.deliveries.filter((delivery) => delivery.key === key).map(({ id }) => id);
    return ids.filter((id, i) => id !== ids[i - 1]);
  }
}

const idsOf = (recorder: MessageRecorder, key: string): readonly string[] =>
  recorder.deliveries.filter((delivery) => delivery.key === key).map(({ id }) => id);
