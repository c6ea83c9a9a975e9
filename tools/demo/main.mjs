/** `npm run demo:swap`: prepares the clone if necessary, then runs the demo on the pinned Node. Arguments are passed to it. */
import { prepare } from '../setup/prepare.mjs';
import { PINNED_NODE, inRoot, run, runMain } from '../setup/workspace.mjs';

await runMain(async () => {
  await prepare();
  return run(PINNED_NODE, [inRoot('tools', 'demo', 'swap.mjs'), ...process.argv.slice(2)]);
});
