import { expect, it } from '@jest/globals';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import { streamName } from '@palimpsest/knowledge/ports';
import { START } from '@palimpsest/knowledge/values';
import { collect, events, eventsOf, followUntil, idsOf, type CurrentLog } from './event-log-fixture.ts';

const cut = streamName('document', 'acme', 'cut');
const whole = streamName('document', 'acme', 'whole');

/** The contract of `truncate`. */
export const truncationPromises = (current: CurrentLog): void => {
  it('removes the events below a revision, also after a restart; all others keep their revisions and positions', async () => {
    const { log, reopen, removesAtOnce } = current();
    await log.append(cut, events(3), 'no-stream');
    await log.append(whole, events(2), 'no-stream');
    await log.append(cut, events(2), 2);
    const before = await collect(log.readAll());
    const left = before.filter(({ stream, revision }) => stream === whole || revision >= 3);
    const head = await log.head();
    await log.truncate(cut, 3);
    for (const restart of [false, true]) {
      const opened = restart ? await reopen() : log;
      expect(await collect(opened.readStream(cut))).toEqual(left.slice(2));
      expect(await collect(opened.readStream(cut, { from: 0, limit: 1 }))).toEqual(left.slice(2, 3));
      expect(await collect(opened.readStream(cut, { from: 1 }))).toEqual(left.slice(2));
      expect(await collect(opened.readStream(cut, { from: 4 }))).toEqual(left.slice(3));
      expect(await collect(opened.readStream(cut, { direction: 'backwards' }))).toEqual(left.slice(2).reverse());
      expect(await collect(opened.readStream(cut, { from: 2, direction: 'backwards' }))).toEqual([]);
      expect(await collect(opened.readStream(whole))).toEqual(left.slice(0, 2));
      const all = await collect(opened.readAll());
      const kept = new Set(left.map(({ position }) => position));
      expect(removesAtOnce ? all : all.filter(({ position }) => kept.has(position))).toEqual(left);
      expect(await collect(opened.readAll({ types: ['Noted'], direction: 'backwards' }))).toEqual([...all].reverse());
      const batches = await followUntil(opened, { after: START }, (_, { caughtUp }) => caughtUp);
      expect(eventsOf(batches)).toEqual(all);
      expect(batches.at(-1)?.upTo).toBe(head);
      expect(await opened.head()).toBe(head);
    }
  });

  it('lets appends continue at the next revision, and answers conflicts with the last one', async () => {
    const { log, reopen } = current();
    await log.append(cut, events(3), 'no-stream');
    await log.truncate(cut, 2);
    expect(await log.append(cut, events(1), 'no-stream')).toEqual({ outcome: 'conflict', actual: 2 });
    expect(await log.append(cut, events(1), 1)).toEqual({ outcome: 'conflict', actual: 2 });
    const next = events(2);
    expect(await log.append(cut, next, 2)).toMatchObject({ outcome: 'appended', revision: 4, repeated: false });
    const opened = await reopen();
    expect(await opened.append(cut, next, 2)).toMatchObject({ outcome: 'appended', revision: 4, repeated: true });
    expect((await collect(opened.readStream(cut))).map(({ revision }) => revision)).toEqual([2, 3, 4]);
  });

  it('never restores events: a lower revision than before changes nothing, a higher one removes more', async () => {
    const { log } = current();
    const some = events(5);
    await log.append(cut, some, 'no-stream');
    for (const [before, first] of [
      [0, 0],
      [2, 2],
      [2, 2],
      [1, 2],
      [0, 2],
      [4, 4],
    ] as const) {
      await log.truncate(cut, before);
      expect(idsOf(await collect(log.readStream(cut)))).toEqual(idsOf(some.slice(first)));
    }
  });

  it('keeps the last event of a stream, and refuses revisions that the stream does not have', async () => {
    const { log } = current();
    const some = events(3);
    await expect(log.truncate(cut, 0)).rejects.toThrow(InvalidValue);
    await log.append(cut, some, 'no-stream');
    for (const before of [3, -1, 0.5, NaN]) await expect(log.truncate(cut, before)).rejects.toThrow(InvalidValue);
    expect(idsOf(await collect(log.readStream(cut)))).toEqual(idsOf(some));
    await log.truncate(cut, 2);
    expect(idsOf(await collect(log.readStream(cut)))).toEqual(idsOf(some.slice(2)));
  });

  it('is independent of the retention of the stream', async () => {
    const { log, letTimePass } = current();
    const [first, second] = [events(3), events(3)];
    await log.setRetention(cut, 2);
    await log.append(cut, first, 'no-stream');
    await log.truncate(cut, 1);
    expect(idsOf(await collect(log.readStream(cut)))).toEqual(idsOf(first.slice(1)));
    await letTimePass(3);
    await log.append(cut, second, 2);
    expect(idsOf(await collect(log.readStream(cut)))).toEqual(idsOf(second));
    await log.truncate(cut, 4);
    await log.setRetention(cut, undefined);
    expect(idsOf(await collect(log.readStream(cut)))).toEqual(idsOf(second.slice(1)));
  });
};
