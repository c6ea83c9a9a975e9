import { START, tenantId } from '@palimpsest/knowledge/values';
import { aDocument, caller, EventWorld } from '../../test/event-world.ts';
import { eventFilter } from './event-query.ts';
import { followEvents } from './follow-events.ts';

const reader = caller('reader');

async function* batchesOf(world: EventWorld, size: number) {
  const events = [];
  for await (const event of world.log.readAll()) events.push(event);
  for (let i = 0; i < events.length; i += size)
    yield { events: events.slice(i, i + size), upTo: events[Math.min(i + size, events.length) - 1]?.position ?? START };
}

describe('Following events', () => {
  it('yields the same events as the list for the same filter and rights, and its progress', async () => {
    const world = new EventWorld();
    for (let i = 0; i < 40; i++)
      await world.document(
        1 + (i % 2),
        i % 3 === 0 ? 'DocumentDeleted' : 'DocumentSkipped',
        i % 5 === 0 ? { tenant: tenantId('other') } : {},
      );
    const filter = eventFilter(reader, { type: ['DocumentDeleted'], document: aDocument(1) });
    const followed: unknown[] = [];
    const marks: unknown[] = [];
    for await (const { position, data } of followEvents(world.browse, reader, filter, batchesOf(world, 7)))
      (data ? followed : marks).push(data ?? position);
    const { events } = await world.page(reader, { type: ['DocumentDeleted'], document: aDocument(1), direction: 'forwards' });
    expect(events.length).toBeGreaterThan(3);
    expect(followed).toEqual(events);
    expect(marks.at(-1)).toBe(await world.log.head());
  });
});
