import type { EventView } from '@palimpsest/client';
import { newestFirst, withArrived } from './newest-first.ts';

const anEvent = (position: number): EventView => ({
  position: String(position), type: 'DocumentIndexed', schemaVersion: 1, category: 'document', revision: 0, recordedAt: '2026-11-22T08:00:00.000Z', actor: 'key:1', correlationId: 'r', bytes: 1, content: 'open',
});
const positions = (events: readonly EventView[]): string[] => events.map(({ position }) => position);

describe('events that are followed', () => {
  it('come newest first, each once', () => {
    const arrived = [9, 10, 10, 9].reduce<readonly EventView[]>((all, position) => withArrived(all, anEvent(position)), []);
    expect(positions(arrived)).toEqual(['10', '9']);
  });
  it('stand before those that were listed, which may have them already', () => {
    expect(positions(newestFirst([anEvent(10), anEvent(9)], [anEvent(9), anEvent(8)]))).toEqual(['10', '9', '8']);
    expect(positions(newestFirst([], [anEvent(8)]))).toEqual(['8']);
  });
  it('are not kept without end', () => {
    const many = Array.from({ length: 700 }, (_, index) => anEvent(index)).reduce<readonly EventView[]>(withArrived, []);
    expect([many.length, many[0]?.position]).toEqual([500, '699']);
  });
});
