import { closedLoad, openLoad } from './load.mjs';

/** Generates the load in its own process, so that its cost is not part of the measurements. Controlled over IPC. */
process.on('message', async ({ mode, requests, options }) => {
  let at = 0;
  const next = () => {
    const one = requests[at++ % requests.length];
    // Each document is different, otherwise it would be skipped as unchanged.
    return one.body?.includes('«n»') ? { ...one, body: one.body.replaceAll('«n»', `${process.pid}-${at}-${Date.now()}`) } : one;
  };
  process.send(await (mode === 'open' ? openLoad : closedLoad)(next, options));
});
process.on('disconnect', () => process.exit(0));
