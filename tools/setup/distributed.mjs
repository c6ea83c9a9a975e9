/** `npm run distributed`: prepares the clone if necessary, then runs tools/distributed/main.mjs on the pinned Node. */
import { prepare } from './prepare.mjs';
import { PINNED_NODE, inRoot, run, runMain } from './workspace.mjs';

await runMain(async () => {
  await prepare();
  return run(PINNED_NODE, [inRoot('tools', 'distributed', 'main.mjs'), ...process.argv.slice(2)]);
});
