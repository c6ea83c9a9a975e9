/** `npm start`: prepares what is missing, then runs the platform on the pinned Node. Arguments go to the platform. */
import { prepare } from './prepare.mjs';
import { PINNED_NODE, inRoot, run, runMain } from './workspace.mjs';

await runMain(async () => {
  await prepare();
  return run(PINNED_NODE, [inRoot('apps', 'platform', 'dist', 'main.js'), ...process.argv.slice(2)]);
});
