import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import type { ConsumeOptions, MessageBus } from '@palimpsest/knowledge/ports';
import { note, settled, type MessageBusUnderTest } from './message-bus-under-test.ts';
import { gate, MessageRecorder, untilAborted } from './message-recorder.ts';

const GROUP = { topic: 'topic', group: 'group' };

export const describeBusConsumers = (name: string, open: () => Promise<MessageBusUnderTest>): void =>
  describe(`${name} lets consumers share work, pause and stop`, () => {
    let under: MessageBusUnderTest;
    let bus: MessageBus;
    beforeEach(async () => {
      under = await open();
      bus = under.bus;
    });
    afterEach(() => under.dispose());

    it('distributes the messages of a group over its members', async () => {
      const held = gate();
      const members = [1, 2].map(() => new MessageRecorder(() => held.opened));
      for (const { handler } of members) await bus.consume(GROUP, handler);
      await bus.publish('topic', [note('1', 'a'), note('2', 'b')]);
      for (const member of members) await member.until(1);
      held.open();
      await settled(under, bus, 'topic', 'group');
      expect(members.flatMap(({ ids }) => ids).sort()).toEqual(['1', '2']);
    });

    it('calls the handler up to its concurrency, and no more', async () => {
      const held = gate();
      const recorder = new MessageRecorder(() => held.opened);
      await bus.publish(
        'topic',
        Array.from({ length: 9 }, (_, i) => note(`${i}`, `key ${i}`)),
      );
      await bus.consume({ ...GROUP, concurrency: 3, batchSize: 2 }, recorder.handler);
      await recorder.until(6);
      await under.passTime(100);
      expect(recorder.batches).toHaveLength(3);
      held.open();
      await settled(under, bus, 'topic', 'group');
      expect(recorder.ids).toHaveLength(9);
    });

    it('retries the whole batch when the handler rejects', async () => {
      const recorder = new MessageRecorder(async ([one]) => {
        if (one?.attempt === 1) throw new Error('all of it');
      });
      await bus.publish('topic', [note('1', 'a'), note('2', 'b')]);
      await bus.consume({ ...GROUP, batchSize: 2, backoff: { baseMs: 20, capMs: 50 } }, recorder.handler);
      await settled(under, bus, 'topic', 'group');
      expect(recorder.deliveries.map(({ id, attempt }) => `${id} ${attempt}`).sort()).toEqual(['1 1', '1 2', '2 1', '2 2']);
    });

    it('treats a handler that throws synchronously like one that rejects', async () => {
      const recorder = new MessageRecorder(() => {
        throw new Error('synchronously');
      });
      await bus.publish('topic', [note('1')]);
      await bus.consume({ ...GROUP, maxAttempts: 1 }, recorder.handler);
      await settled(under, bus, 'topic', 'group');
      expect(await bus.deadLetters()).toHaveLength(1);
    });

    it('receives nothing while paused, and continues where it was', async () => {
      const recorder = new MessageRecorder();
      const consumer = await bus.consume(GROUP, recorder.handler);
      consumer.pause();
      await bus.publish('topic', [note('1')]);
      await under.passTime(200);
      expect(recorder.ids).toEqual([]);
      consumer.resume();
      await recorder.until(1);
    });

    it('does not take a message that it was polling for when it was paused', async () => {
      const recorder = new MessageRecorder();
      await bus.publish('topic', [note('1')]);
      const consumer = await bus.consume(GROUP, recorder.handler);
      consumer.pause();
      await under.passTime(200);
      expect(recorder.ids).toEqual([]);
      consumer.resume();
      await recorder.until(1);
      expect(recorder.deliveries[0]?.attempt).toBe(1);
    });

    it('wakes another member for a message that it will not take itself', async () => {
      const held = gate();
      const first = new MessageRecorder(() => held.opened);
      const consumer = await bus.consume(GROUP, first.handler);
      await bus.publish('topic', [note('1'), note('2')]);
      await first.until(1);
      const second = new MessageRecorder();
      await bus.consume(GROUP, second.handler);
      await under.passTime(100);
      consumer.pause();
      held.open();
      await second.until(1);
      expect([...first.ids, ...second.ids]).toEqual(['1', '2']);
    });

    it('leaves messages to other members while paused', async () => {
      const [idle, busy] = [new MessageRecorder(), new MessageRecorder()];
      const consumer = await bus.consume(GROUP, idle.handler);
      consumer.pause();
      await bus.consume(GROUP, busy.handler);
      await bus.publish('topic', [note('1')]);
      await busy.until(1);
      expect(idle.ids).toEqual([]);
    });

    it('waits for running handlers when stopped, and settles their messages', async () => {
      const held = gate();
      const recorder = new MessageRecorder(() => held.opened);
      const consumer = await bus.consume(GROUP, recorder.handler);
      await bus.publish('topic', [note('1'), note('2')]);
      await recorder.until(1);
      const stopped = consumer.stop();
      held.open();
      await stopped;
      expect(recorder.ids).toEqual(['1']);
      expect(recorder.deliveries[0]?.signal.aborted).toBe(false);
      expect(await bus.lag('topic', 'group')).toBe(1);
    });

    it('aborts handlers after the grace period, and returns their messages without counting the attempt', async () => {
      const slow = new MessageRecorder(async ([one]) => one && untilAborted(one));
      const consumer = await bus.consume({ ...GROUP, maxAttempts: 1 }, slow.handler);
      await bus.publish('topic', [note('1')]);
      await slow.until(1);
      const next = new MessageRecorder();
      await bus.consume({ ...GROUP, maxAttempts: 1 }, next.handler);
      const stopped = consumer.stop(200);
      await under.passTime(300);
      await stopped;
      await next.until(1);
      expect(next.deliveries.map(({ id, attempt }) => `${id} ${attempt}`)).toEqual(['1 1']);
      expect(await bus.deadLetters()).toEqual([]);
    });

    it('settles messages that a handler completes after it was aborted', async () => {
      const recorder = new MessageRecorder(async ([one]) => {
        if (one !== undefined) await untilAborted(one).catch(() => undefined);
      });
      const consumer = await bus.consume(GROUP, recorder.handler);
      await bus.publish('topic', [note('1')]);
      await recorder.until(1);
      await consumer.stop(0);
      expect(await bus.lag('topic', 'group')).toBe(0);
    });

    it('does not wait forever for a handler that ignores its signal, and returns its messages', async () => {
      const deaf = new MessageRecorder(() => gate().opened);
      const consumer = await bus.consume(GROUP, deaf.handler);
      await bus.publish('topic', [note('1')]);
      await deaf.until(1);
      const stopped = consumer.stop(0);
      await under.passTime(2_000);
      await stopped;
      const next = new MessageRecorder();
      await bus.consume(GROUP, next.handler);
      await next.until(1);
    });

    it('can be stopped twice, and does nothing afterwards', async () => {
      const recorder = new MessageRecorder();
      const consumer = await bus.consume(GROUP, recorder.handler);
      await Promise.all([consumer.stop(), consumer.stop()]);
      consumer.resume();
      await bus.publish('topic', [note('1')]);
      await under.passTime(100);
      expect(recorder.ids).toEqual([]);
    });

    it('stops its consumers when the bus is closed, and keeps unsettled messages', async () => {
      const slow = new MessageRecorder(async ([one]) => one && untilAborted(one));
      await bus.consume(GROUP, slow.handler);
      await bus.publish('topic', [note('1')]);
      await slow.until(1);
      bus = await under.reopen();
      const next = new MessageRecorder();
      await bus.consume(GROUP, next.handler);
      await next.until(1);
      expect(next.deliveries[0]?.attempt).toBe(1);
    });

    it.each<Partial<ConsumeOptions>>([
      { topic: '' },
      { group: '' },
      { batchSize: 0 },
      { concurrency: 1.5 },
      { leaseMs: -1 },
      { maxAttempts: Number.NaN },
      { backoff: { baseMs: -1, capMs: 1 } },
    ])('rejects %j', async (wrong) => {
      await expect(bus.consume({ ...GROUP, ...wrong }, async () => undefined)).rejects.toThrow(InvalidValue);
    });
  });
