/** `npm start`: prepares the clone if necessary, then runs the platform on the pinned Node. Arguments are passed to the platform. */
import { prepare } from './prepare.mjs';
import { PINNED_NODE, inRoot, run, runMain } from './workspace.mjs';

await runMain(async () => {
  await prepare();
  return run(PINNED_NODE, [inRoot('apps', 'platform', 'dist', 'main.js'), ...process.argv.slice(2)]);
});
