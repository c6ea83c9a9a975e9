import type { EventView } from '@palimpsest/client';
import { newestFirst, withArrived } from './newest-first.ts';

const anEvent = (position: number): EventView => ({
  position: String(position),
  type: 'DocumentIndexed',
  schemaVersion: 1,
  category: 'document',
  revision: 0,
  recordedAt: '2026-11-22T08:00:00.000Z',
  actor: 'key:1',
  correlationId: 'r',
  bytes: 1,
  content: 'open',
});
const positions = (events: readonly EventView[]): string[] => events.map(({ position }) => position);

describe('followed events', () => {
  it('are listed newest first, each once', () => {
    const arrived = [9, 10, 10, 9].reduce<readonly EventView[]>((all, position) => withArrived(all, anEvent(position)), []);
    expect(positions(arrived)).toEqual(['10', '9']);
  });
  it('come before the listed events, without duplicates', () => {
    expect(positions(newestFirst([anEvent(10), anEvent(9)], [anEvent(9), anEvent(8)]))).toEqual(['10', '9', '8']);
    expect(positions(newestFirst([], [anEvent(8)]))).toEqual(['8']);
  });
  it('are limited in number', () => {
    const many = Array.from({ length: 700 }, (_, index) => anEvent(index)).reduce<readonly EventView[]>(withArrived, []);
    expect([many.length, many[0]?.position]).toEqual([500, '699']);
  });
});
