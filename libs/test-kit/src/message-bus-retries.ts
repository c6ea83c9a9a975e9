import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { PermanentFailure, RetryLater, type MessageBus } from '@palimpsest/knowledge/ports';
import { note, settled, type MessageBusUnderTest } from './message-bus-under-test.ts';
import { gate, MessageRecorder } from './message-recorder.ts';

const BACKOFF = { baseMs: 20, capMs: 100 };

export const describeBusRetries = (name: string, open: () => Promise<MessageBusUnderTest>): void =>
  describe(`${name} retries messages, and dead-letters those that cannot be handled`, () => {
    let under: MessageBusUnderTest;
    let bus: MessageBus;
    beforeEach(async () => {
      under = await open();
      bus = under.bus;
    });
    afterEach(() => under.dispose());

    /** Publishes messages and makes them dead letters. */
    const deadLetter = async (ids: readonly string[]): Promise<void> => {
      const recorder = new MessageRecorder(async () => {
        throw new PermanentFailure('unreadable');
      });
      const consumer = await bus.consume({ topic: 'topic', group: 'group' }, recorder.handler);
      await bus.publish(
        'topic',
        ids.map((id) => note(id)),
      );
      await settled(under, bus, 'topic', 'group');
      await consumer.stop();
    };

    it('counts attempts from 1', async () => {
      const recorder = new MessageRecorder(async ([one]) => {
        if ((one?.attempt ?? 0) < 3) throw new Error('not yet');
      });
      await bus.publish('topic', [note('1')]);
      await bus.consume({ topic: 'topic', group: 'group', backoff: BACKOFF }, recorder.handler);
      await settled(under, bus, 'topic', 'group');
      expect(recorder.deliveries.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    });

    it('dead-letters a message after its last attempt, with the information that an operator needs', async () => {
      const recorder = new MessageRecorder(async () => {
        throw new Error('no embedding', { cause: new Error('the model is gone') });
      });
      await bus.publish('topic', [note('1', 'a')]);
      await bus.consume({ topic: 'topic', group: 'group', maxAttempts: 3, backoff: BACKOFF }, recorder.handler);
      await settled(under, bus, 'topic', 'group');
      const [letter] = await bus.deadLetters();
      expect(letter).toMatchObject({ message: note('1', 'a'), topic: 'topic', group: 'group', attempts: 3 });
      expect(letter?.error).toMatch(/no embedding.*the model is gone/);
      expect(new Date(letter?.failedAt ?? '').toISOString()).toBe(letter?.failedAt);
      expect(recorder.ids).toHaveLength(3);
    });

    it('makes four attempts by default', async () => {
      const recorder = new MessageRecorder(async () => {
        throw new RetryLater('busy', 10);
      });
      await bus.publish('topic', [note('1')]);
      await bus.consume({ topic: 'topic', group: 'group' }, recorder.handler);
      await settled(under, bus, 'topic', 'group');
      expect(recorder.ids).toHaveLength(4);
    });

    it('does not retry a permanent failure', async () => {
      await deadLetter(['1']);
      expect(await bus.deadLetters()).toMatchObject([{ attempts: 1, message: note('1') }]);
    });

    it('waits as long as RetryLater says', async () => {
      const recorder = new MessageRecorder(async ([one]) => {
        if (one?.attempt === 1) throw new RetryLater('rate limit', 400);
      });
      await bus.publish('topic', [note('1')]);
      await bus.consume({ topic: 'topic', group: 'group', backoff: BACKOFF }, recorder.handler);
      await recorder.until(1);
      await under.passTime(200);
      expect(recorder.ids).toHaveLength(1);
      await under.passTime(300);
      await recorder.until(2);
    });

    it('waits no longer than the back-off allows', async () => {
      const recorder = new MessageRecorder(async ([one]) => {
        if (one?.attempt === 1) throw new Error('not yet');
      });
      await bus.publish('topic', [note('1')]);
      await bus.consume({ topic: 'topic', group: 'group', backoff: { baseMs: 60_000, capMs: 200 } }, recorder.handler);
      await recorder.until(1);
      await under.passTime(300);
      await recorder.until(2);
    });

    it('retries immediately after a crash, and counts the attempt', async () => {
      const hanging = new MessageRecorder(() => gate().opened);
      await bus.publish('topic', [note('1', 'a'), note('2', 'b')]);
      await bus.consume({ topic: 'topic', group: 'group', batchSize: 2, maxAttempts: 1 }, hanging.handler);
      await hanging.until(2);
      bus = await under.crash();
      const recorder = new MessageRecorder();
      await bus.consume({ topic: 'topic', group: 'group', batchSize: 2, maxAttempts: 1 }, recorder.handler);
      await recorder.until(2);
      expect(recorder.deliveries.map(({ attempt }) => attempt)).toEqual([2, 2]);
      await settled(under, bus, 'topic', 'group');
      expect(await bus.deadLetters()).toEqual([]);
    });

    it('renews the lease of a handler that takes longer than the lease', async () => {
      const long = gate();
      const recorder = new MessageRecorder(() => long.opened);
      await bus.publish('topic', [note('1')]);
      for (let member = 0; member < 2; member += 1) await bus.consume({ topic: 'topic', group: 'group', leaseMs: 300 }, recorder.handler);
      await recorder.until(1);
      await under.passTime(1_000);
      await bus.publish('topic', [note('2', 'other')]);
      await recorder.until(2);
      expect(recorder.ids).toEqual(['1', '2']);
      expect(recorder.deliveries[0]?.signal.aborted).toBe(false);
      long.open();
      await settled(under, bus, 'topic', 'group');
      expect(recorder.ids).toEqual(['1', '2']);
    });

    it('keeps dead letters over a restart, and filters them by topic, group and limit', async () => {
      await deadLetter(['1', '2', '3']);
      bus = await under.reopen();
      const listed = async (filter: Parameters<MessageBus['deadLetters']>[0]): Promise<readonly string[]> =>
        (await bus.deadLetters(filter)).map(({ message }) => message.id);
      expect(await listed({})).toEqual(['1', '2', '3']);
      expect(await listed({ topic: 'topic', group: 'group', limit: 2 })).toEqual(['1', '2']);
      expect(await listed({ topic: 'other' })).toEqual([]);
      expect(await listed({ group: 'other' })).toEqual([]);
    });

    it('puts a dead letter at the end of its key, with attempts reset, only for its own group', async () => {
      await deadLetter(['1']);
      const others = new MessageRecorder();
      await bus.consume({ topic: 'topic', group: 'others' }, others.handler);
      await bus.publish('topic', [note('2')]);
      await others.until(1);
      await settled(under, bus, 'topic', 'others');
      const [letter] = await bus.deadLetters();
      expect(await bus.retryDeadLetter(letter?.id ?? '')).toBe(true);
      expect(await bus.deadLetters()).toEqual([]);
      const recorder = new MessageRecorder();
      await bus.consume({ topic: 'topic', group: 'group' }, recorder.handler);
      await recorder.until(2);
      await settled(under, bus, 'topic', 'group');
      expect(recorder.deliveries.map(({ id, attempt }) => `${id} ${attempt}`)).toEqual(['2 1', '1 1']);
      expect(others.ids).toEqual(['2']);
    });

    it('wakes a waiting consumer for a retried dead letter', async () => {
      await deadLetter(['1']);
      const recorder = new MessageRecorder();
      await bus.consume({ topic: 'topic', group: 'group' }, recorder.handler);
      await bus.retryDeadLetter((await bus.deadLetters())[0]?.id ?? '');
      await recorder.until(1);
    });

    it('discards a dead letter', async () => {
      await deadLetter(['1']);
      const [letter] = await bus.deadLetters();
      expect(await bus.discardDeadLetter(letter?.id ?? '')).toBe(true);
      expect(await bus.deadLetters()).toEqual([]);
      expect(await bus.lag('topic', 'group')).toBe(0);
    });

    it.each(['999', 'no such', ''])('returns false for the unknown dead letter %p', async (id) => {
      await deadLetter(['1']);
      expect(await bus.retryDeadLetter(id)).toBe(false);
      expect(await bus.discardDeadLetter(id)).toBe(false);
      expect(await bus.deadLetters()).toHaveLength(1);
    });
  });
