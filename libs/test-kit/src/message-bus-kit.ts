import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import type { MessageBus } from '@palimpsest/knowledge/ports';
import { describeBusConsumers } from './message-bus-consumers.ts';
import { describeBusOrder } from './message-bus-order.ts';
import { describeBusRetries } from './message-bus-retries.ts';
import { note, settled, type MessageBusUnderTest } from './message-bus-under-test.ts';
import { MessageRecorder, untilAborted } from './message-recorder.ts';

export const describeMessageBus = (name: string, open: () => Promise<MessageBusUnderTest>): void => {
  describe(`${name} fulfils the contract of MessageBus`, () => {
    let under: MessageBusUnderTest;
    let bus: MessageBus;
    beforeEach(async () => {
      under = await open();
      bus = under.bus;
    });
    afterEach(() => under.dispose());

    it('delivers a message as it was published, once', async () => {
      const recorder = new MessageRecorder();
      await bus.publish('topic', [note('1', 'ключ')]);
      await bus.consume({ topic: 'topic', group: 'group' }, recorder.handler);
      await recorder.until(1);
      const { signal, publishedAt, ...delivery } = recorder.deliveries[0] ?? failed();
      expect(delivery).toEqual({ ...note('1', 'ключ'), topic: 'topic', attempt: 1 });
      expect(signal.aborted).toBe(false);
      expect(new Date(publishedAt).toISOString()).toBe(publishedAt);
      await settled(under, bus, 'topic', 'group');
      expect(recorder.ids).toEqual(['1']);
    });

    it('delivers immediately what is published while a consumer waits', async () => {
      const recorder = new MessageRecorder();
      await bus.consume({ topic: 'topic', group: 'group' }, recorder.handler);
      for (const id of ['1', '2', '3']) {
        await bus.publish('topic', [note(id)]);
        await recorder.until(Number(id));
      }
      expect(recorder.ids).toEqual(['1', '2', '3']);
    });

    it.each(['reopen', 'crash'] as const)('has stored messages durably when publish resolves: %s', async (end) => {
      await bus.publish('topic', [note('1'), note('2')]);
      bus = await under[end]();
      const recorder = new MessageRecorder();
      await bus.consume({ topic: 'topic', group: 'group' }, recorder.handler);
      await recorder.until(2);
      expect(recorder.ids).toEqual(['1', '2']);
    });

    it('publishes all messages of a call or none', async () => {
      await expect(bus.publish('topic', [note('1'), { ...note('2'), key: '' }])).rejects.toThrow(InvalidValue);
      expect(await bus.lag('topic', 'group')).toBe(0);
    });

    it('publishes nothing for an empty call', async () => {
      await bus.publish('topic', []);
      expect(await bus.lag('topic', 'group')).toBe(0);
    });

    it('ignores an id that was published before, also in the same call', async () => {
      await bus.subscribe('topic', 'group');
      await bus.publish('topic', [note('1'), note('1', 'other key'), note('2')]);
      await bus.publish('topic', [note('2'), note('3')]);
      expect(await bus.lag('topic', 'group')).toBe(3);
    });

    it('ignores an id whose message is settled, also after a restart', async () => {
      const recorder = new MessageRecorder();
      await bus.consume({ topic: 'topic', group: 'group' }, recorder.handler);
      await bus.publish('topic', [note('1')]);
      await recorder.until(1);
      await settled(under, bus, 'topic', 'group');
      await bus.publish('topic', [note('1')]);
      bus = await under.reopen();
      await bus.publish('topic', [note('1')]);
      expect(await bus.lag('topic', 'group')).toBe(0);
    });

    it('treats the same id in another topic as another message', async () => {
      await bus.publish('one', [note('1')]);
      await bus.publish('two', [note('1')]);
      expect([await bus.lag('one', 'group'), await bus.lag('two', 'group')]).toEqual([1, 1]);
    });

    it('delivers each message to every group', async () => {
      const groups = ['indexers', 'auditors'].map((group) => ({ group, recorder: new MessageRecorder() }));
      for (const { group, recorder } of groups) await bus.consume({ topic: 'topic', group }, recorder.handler);
      await bus.publish('topic', [note('1'), note('2')]);
      for (const { recorder } of groups) await recorder.until(2);
      expect(groups.map(({ recorder }) => recorder.ids)).toEqual([
        ['1', '2'],
        ['1', '2'],
      ]);
    });

    it('keeps messages for a subscribed group while others settle them', async () => {
      await bus.subscribe('topic', 'slow');
      await bus.subscribe('topic', 'slow');
      const quick = new MessageRecorder();
      await bus.consume({ topic: 'topic', group: 'quick' }, quick.handler);
      await bus.publish('topic', [note('1')]);
      await quick.until(1);
      await settled(under, bus, 'topic', 'quick');
      expect(await bus.lag('topic', 'slow')).toBe(1);
      const slow = new MessageRecorder();
      await bus.consume({ topic: 'topic', group: 'slow' }, slow.handler);
      await slow.until(1);
    });

    it('delivers all stored messages to a new group, but none that every known group has settled', async () => {
      await bus.subscribe('topic', 'first');
      await bus.publish('topic', [note('1', 'a'), note('2', 'b'), note('3', 'b')]);
      const first = new MessageRecorder(async ([one]) => {
        if (one !== undefined && one.id !== '1') await untilAborted(one);
      });
      // Two at a time: the order of different keys is undefined.
      const consumer = await bus.consume({ topic: 'topic', group: 'first', concurrency: 2 }, first.handler);
      await first.until(2);
      await settled(under, bus, 'topic', 'first', 2);
      const late = new MessageRecorder();
      await bus.consume({ topic: 'topic', group: 'late' }, late.handler);
      await late.until(2);
      await settled(under, bus, 'topic', 'late');
      expect(late.ids).toEqual(['2', '3']);
      await consumer.stop(0);
    });

    it('counts the unsettled messages of a group', async () => {
      expect(await bus.lag('topic', 'group')).toBe(0);
      await bus.publish('topic', [note('1', 'a'), note('2', 'b'), note('3', 'b')]);
      expect(await bus.lag('topic', 'group')).toBe(3);
      const recorder = new MessageRecorder(async ([one]) => {
        if (one?.key === 'b') throw new Error('waits for its retry');
      });
      const backoff = { baseMs: 1_000_000, capMs: 1_000_000 };
      const consumer = await bus.consume({ topic: 'topic', group: 'group', backoff }, recorder.handler);
      await recorder.until(2);
      await consumer.stop();
      expect(await bus.lag('topic', 'group')).toBe(2);
      bus = await under.reopen();
      expect(await bus.lag('topic', 'group')).toBe(2);
    });

    it('rejects calls after it was closed', async () => {
      const closed = bus;
      bus = await under.reopen();
      await expect(closed.publish('topic', [note('1')])).rejects.toThrow('closed');
      expect(await bus.lag('topic', 'group')).toBe(0);
    });
  });

  describeBusOrder(name, open);
  describeBusRetries(name, open);
  describeBusConsumers(name, open);
};

const failed = (): never => {
  throw new Error('nothing was delivered');
};
