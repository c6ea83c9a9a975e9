/**
 * `npm run <lint|typecheck|build>`: one nx target over every project, on the pinned Node, from a fresh clone too.
 * Further arguments go to nx (`npm run lint -- --projects=cli`). Lint also checks what no single project can see.
 */
import { installDependencies } from './dependencies.mjs';
import { PINNED_NODE, inRoot, run, runMain } from './workspace.mjs';

const [target, ...args] = process.argv.slice(2);

await runMain(async () => {
  await installDependencies();
  const code = await run('nx', ['run-many', '-t', target, ...args]);
  if (target !== 'lint' || code !== 0) return code;
  // It has the programs of all projects in memory at once.
  return run(PINNED_NODE, ['--max-old-space-size=8192', inRoot('tools', 'lint', 'check-workspace.mjs')]);
});
