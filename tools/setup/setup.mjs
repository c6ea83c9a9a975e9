/** `npm run setup`: from a fresh clone to a project that runs. Safe to repeat. */
import { prepare } from './prepare.mjs';
import { runMain, say } from './workspace.mjs';

await runMain(async () => {
  await prepare();
  say('ready: `npm start` runs the platform, `npx palimpsest --help` tells what the command line can do');
});
