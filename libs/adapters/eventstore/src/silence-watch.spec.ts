import { jest } from '@jest/globals';
import { SilenceWatch } from './silence-watch.ts';

describe('SilenceWatch', () => {
  let silent = 0;
  let watch: SilenceWatch;
  const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);
  beforeEach(() => {
    jest.useFakeTimers();
    silent = 0;
    watch = new SilenceWatch(1000, () => (silent += 1));
  });
  afterEach(() => {
    watch.stop();
    jest.useRealTimers();
  });

  it('reports a server that sends nothing while a call waits for it', async () => {
    watch.waiting();
    await pass(900);
    expect(silent).toBe(0);
    await pass(200);
    expect(silent).toBe(1);
  });

  it('reports nothing while no call waits, however long the server is quiet', async () => {
    await pass(5000);
    const stop = watch.waiting();
    await pass(900);
    stop();
    await pass(5000);
    watch.waiting();
    await pass(900);
    expect(silent).toBe(0);
  });

  it('reports nothing as long as anything arrives, for any call', async () => {
    watch.waiting();
    for (let at = 0; at < 10; at += 1) {
      await pass(900);
      watch.arrived();
    }
    expect(silent).toBe(0);
    await pass(1100);
    expect(silent).toBe(1);
  });

  it('keeps watching for the other calls when one of several has its answer', async () => {
    const stop = watch.waiting();
    watch.waiting();
    await pass(500);
    stop();
    stop();
    await pass(600);
    expect(silent).toBe(1);
  });
});
