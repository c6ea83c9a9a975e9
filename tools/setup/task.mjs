/**
 * `npm run <lint|typecheck|build>` over every project, on the pinned Node, also in a fresh clone. Lint and typecheck check all
 * projects in one process. Further arguments are passed to nx, which checks each project separately (`npm run lint -- --projects=cli`).
 */
import { installDependencies } from './dependencies.mjs';
import { PINNED_NODE, inRoot, run, runMain } from './workspace.mjs';

const [target, ...args] = process.argv.slice(2);

const TSC = inRoot('node_modules', 'typescript-native', 'bin', 'tsc');
const WHOLE = {
  typecheck: [
    [TSC, '-p', 'tsconfig.all.json'],
    [TSC, '-p', 'apps/console/tsconfig.spec.json'],
  ],
  lint: [
    ['--max-old-space-size=8192', inRoot('tools', 'lint', 'check-workspace.mjs')],
    [inRoot('tools', 'lint', 'check-unused.mjs')],
    [inRoot('tools', 'lint', 'check-words.mjs')],
  ],
};

await runMain(async () => {
  await installDependencies();
  const whole = args.length === 0 ? WHOLE[target] : undefined;
  if (whole === undefined) return run('nx', ['run-many', '-t', target, ...args]);
  for (const command of whole) {
    const code = await run(PINNED_NODE, command);
    if (code !== 0) return code;
  }
  return 0;
});
