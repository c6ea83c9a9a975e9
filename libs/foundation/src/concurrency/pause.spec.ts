import { pause } from './pause.ts';

describe('a pause', () => {
  it('ends immediately when its signal aborts or has aborted', async () => {
    const stop = new AbortController();
    const paused = pause(60_000, stop.signal);
    stop.abort();
    await paused;
    await pause(60_000, stop.signal);
  });

  it('ends after its time otherwise', async () => {
    await pause(1, new AbortController().signal);
    await pause(1);
  });
});
