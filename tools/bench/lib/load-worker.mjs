import { closedLoad, openLoad } from './load.mjs';

/** The load comes from a process of its own, so that what it costs is not in the figures of who measures. Asked over IPC. */
process.on('message', async ({ mode, requests, options }) => {
  let at = 0;
  const next = () => {
    const one = requests[at++ % requests.length];
    // Each document is another one, or it would be skipped as unchanged.
    return one.body?.includes('«n»') ? { ...one, body: one.body.replaceAll('«n»', `${process.pid}-${at}-${Date.now()}`) } : one;
  };
  process.send(await (mode === 'open' ? openLoad : closedLoad)(next, options));
});
process.on('disconnect', () => process.exit(0));
