import { jest } from '@jest/globals';
import { createFigures } from './figures.ts';
import { WriteState } from './write-state.ts';

describe('whether writes work', () => {
  beforeEach(() => void jest.useFakeTimers({ now: 0 }));
  afterEach(() => void jest.useRealTimers());
  const full = { now: false };
  const check = async (): Promise<void> => {
    if (full.now) throw new Error('ENOSPC');
  };

  it('is checked on request, and recovers when there is space, without any upload', async () => {
    const state = new WriteState(check);
    full.now = true;
    expect(await state.failing()).toBe(true);
    full.now = false;
    expect(await state.failing()).toBe(true);
    jest.advanceTimersByTime(2_001);
    expect(await state.failing()).toBe(false);
  });

  it('is false if the disk does not respond', async () => {
    const state = new WriteState(() => new Promise(() => undefined));
    const failing = state.failing();
    await jest.advanceTimersByTimeAsync(5_000);
    expect(await failing).toBe(true);
  });

  it('is not checked in a process that does not write', async () => expect(await new WriteState(undefined).failing()).toBe(false));

  it('sets the health to degraded, with a reason', async () => {
    const figures = createFigures();
    full.now = true;
    figures.watch({ checkWrites: check });
    expect(await figures.writesFail()).toBe(true);
    expect(await figures.health()).toMatchObject({ status: 'degraded', reasons: ['writes-failing'] });
    figures.stop();
  });
});
