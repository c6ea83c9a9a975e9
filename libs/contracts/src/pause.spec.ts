import { pause } from './pause.ts';

describe('a pause', () => {
  it('ends at once when its signal aborts, or had aborted before', async () => {
    const stop = new AbortController();
    const paused = pause(60_000, stop.signal);
    stop.abort();
    await paused;
    await pause(60_000, stop.signal);
  });

  it('ends by itself otherwise', async () => {
    await pause(1, new AbortController().signal);
    await pause(1);
  });
});
