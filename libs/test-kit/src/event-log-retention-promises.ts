import { expect, it } from '@jest/globals';
import { streamName } from '@palimpsest/knowledge/ports';
import { START } from '@palimpsest/knowledge/values';
import { collect, events, eventsOf, followUntil, idsOf, type CurrentLog } from './event-log-fixture.ts';

const limited = streamName('_platform.retrieval', 'acme');
const unlimited = streamName('document', 'acme', 'one');

/** The contract of `setRetention`. Times are short, because some logs wait in real time. */
export const retentionPromises = (current: CurrentLog): void => {
  it('does not return events past the retention of their stream, also after a restart; others keep their positions', async () => {
    const { log, letTimePass, reopen, removesAtOnce } = current();
    await log.setRetention(limited, 2);
    await log.append(limited, events(2), 'no-stream');
    await log.append(unlimited, events(2), 'no-stream');
    await letTimePass(3);
    await log.append(limited, events(2), 1);
    const head = await log.head();
    for (const restart of [false, true]) {
      const opened = restart ? await reopen() : log;
      const all = await collect(opened.readAll());
      const rest = all.filter(({ stream, revision }) => stream === unlimited || revision >= 2);
      expect(rest.map(({ stream, revision }) => [stream, revision])).toEqual([
        [unlimited, 0],
        [unlimited, 1],
        [limited, 2],
        [limited, 3],
      ]);
      if (removesAtOnce) expect(all).toEqual(rest);
      expect(await collect(opened.readAll({ types: ['Noted'], direction: 'backwards' }))).toEqual([...all].reverse());
      expect(await collect(opened.readStream(limited))).toEqual(rest.slice(2));
      expect(await collect(opened.readStream(limited, { from: 0, limit: 1 }))).toEqual(rest.slice(2, 3));
      expect(eventsOf(await followUntil(opened, { after: START }, (_, { caughtUp }) => caughtUp))).toEqual(all);
      expect(await opened.head()).toBe(head);
    }
  });

  it('continues revisions and positions when a whole stream has expired', async () => {
    const { log, letTimePass } = current();
    await log.append(limited, events(3), 'no-stream');
    await log.setRetention(limited, 1);
    await letTimePass(2);
    const before = await log.head();
    expect(await collect(log.readStream(limited))).toEqual([]);
    expect((await followUntil(log, { after: START }, (_, { caughtUp }) => caughtUp)).at(-1)?.upTo).toBe(before);
    expect(await log.append(limited, events(1), 'no-stream')).toEqual({ outcome: 'conflict', actual: 2 });
    const result = await log.append(limited, events(1), 2);
    expect(result).toMatchObject({ outcome: 'appended', revision: 3 });
    expect((result.outcome === 'appended' ? result.position : START) > before).toBe(true);
  });

  it('keeps all events once the limit is removed', async () => {
    const { log, letTimePass } = current();
    const kept = events(2);
    await log.setRetention(limited, 2);
    await log.append(limited, kept, 'no-stream');
    await log.setRetention(limited, undefined);
    await letTimePass(3);
    expect(idsOf(await collect(log.readStream(limited)))).toEqual(idsOf(kept));
  });
};
