/** `npm run setup`: turns a fresh clone into a project that runs. Safe to repeat. */
import { prepare } from './prepare.mjs';
import { runMain, say } from './workspace.mjs';

await runMain(async () => {
  await prepare();
  say('ready: `npm start` runs the platform, `npx palimpsest --help` lists the commands');
});
