import { RecentIds } from './recent-ids.ts';

describe('RecentIds', () => {
  it('recognises an id of an earlier offset, but not the same message read again', () => {
    const ids = new RecentIds(10);
    expect([ids.isRepeated('a', 1), ids.isRepeated('a', 1), ids.isRepeated('a', 5), ids.isRepeated('a', 1)]).toEqual([
      false,
      false,
      true,
      false,
    ]);
  });

  it('forgets the oldest', () => {
    const ids = new RecentIds(2);
    for (const [offset, id] of ['a', 'b', 'c'].entries()) ids.isRepeated(id, offset);
    expect([ids.isRepeated('b', 3), ids.isRepeated('a', 4)]).toEqual([true, false]);
    expect(ids.upTo).toBe(5);
  });
});
