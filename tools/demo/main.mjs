/** `npm run demo:swap`, `npm run demo:time`: prepares the clone if necessary, then runs the demo on the pinned Node. Arguments are passed to it. */
import { prepare } from '../setup/prepare.mjs';
import { PINNED_NODE, inRoot, run, runMain } from '../setup/workspace.mjs';

const [demo, ...args] = process.argv.slice(2);

await runMain(async () => {
  await prepare();
  return run(PINNED_NODE, [inRoot('tools', 'demo', `${demo}.mjs`), ...args]);
});
