import { jest } from '@jest/globals';
import { Overloaded, ServerAway, Unavailable } from '@palimpsest/knowledge/errors';
import { whileServersAreAway } from './while-servers-are-away.ts';

describe('Work that needs servers', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());
  const stopping = () => new AbortController();
  const work = (...ends: readonly (Error | string)[]) => {
    const left = [...ends];
    return jest.fn(async () => {
      const end = left.length > 1 ? left.shift() : left[0];
      if (end instanceof Error) throw end;
      return end;
    });
  };

  it('is repeated until they answer, and each failure is reported', async () => {
    const reported: unknown[] = [];
    const failures = Array.from({ length: 30 }, () => new ServerAway('gone'));
    const done = whileServersAreAway(stopping().signal, work(...failures, 'done'), (error) => reported.push(error));
    await jest.runAllTimersAsync();
    expect(await done).toBe('done');
    expect(reported).toEqual(failures);
  });

  it.each([
    [20, 20_000],
    [3_600, 60_000],
  ])('waits for %d seconds if an overloaded server says so, but at most for a minute', async (seconds, ms) => {
    const busy = work(new Overloaded('429', seconds), 'done');
    const done = whileServersAreAway(stopping().signal, busy, () => undefined);
    await jest.advanceTimersByTimeAsync(ms - 1);
    expect(busy).toHaveBeenCalledTimes(1);
    await jest.runAllTimersAsync();
    expect(await done).toBe('done');
  });

  it('ends immediately with any other failure', async () => {
    await expect(whileServersAreAway(stopping().signal, work(new Unavailable('this text')), () => undefined)).rejects.toThrow('this text');
  });

  it('ends when it is stopped', async () => {
    const stop = stopping();
    const failing = work(new ServerAway('gone'));
    const ended = whileServersAreAway(stop.signal, failing, () => stop.abort()).catch((error: unknown) => error);
    await jest.runAllTimersAsync();
    expect(await ended).toBeInstanceOf(ServerAway);
  });
});
