import { inTime } from './in-time.ts';

describe('a result in time', () => {
  it('is returned', async () => expect(await inTime(Promise.resolve(1), 60_000, 2)).toBe(1));
  it('is replaced by the alternative if it fails or is late', async () => {
    expect(await inTime(Promise.reject(new Error('broken')), 60_000, 2)).toBe(2);
    expect(await inTime(new Promise(() => undefined), 1, 2)).toBe(2);
  });
});
