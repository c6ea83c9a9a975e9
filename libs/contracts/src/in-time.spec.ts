import { inTime } from './in-time.ts';

describe('an answer in time', () => {
  it('is what was answered', async () => expect(await inTime(Promise.resolve(1), 60_000, 2)).toBe(1));
  it('is the other one when there is none', async () => {
    expect(await inTime(Promise.reject(new Error('broken')), 60_000, 2)).toBe(2);
    expect(await inTime(new Promise(() => undefined), 1, 2)).toBe(2);
  });
});
