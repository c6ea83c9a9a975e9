/**
 * `npm test`: every project's tests on the pinned Node; further arguments are passed to nx (`npm test -- --projects=cli`).
 * `npm run test:real` (`--real`): the tests that need the real data next to the checkout (see tools/setup/README.md).
 * `npm run test:kafka` (`--suite=kafka`) and the like: the tests on a server, which they start themselves, or on the one whose
 * address is in the environment.
 * Ends with the line `N passed, N failed`, summed over all projects, whether they ran or came from nx's cache.
 */
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { addCounts, countFrom, COUNTING_REPORTER } from './count-tests.mjs';
import { prepare } from './prepare.mjs';
import { SetupError, inRoot, run, runMain } from './workspace.mjs';

const suiteOf = (arg) => (arg === '--real' ? 'real' : /^--suite=(.+)$/.exec(arg)?.[1]);
const suite = process.argv.map(suiteOf).find((name) => name !== undefined);
const real = suite?.startsWith('real') === true;
const args = process.argv.slice(2).filter((arg) => suiteOf(arg) === undefined);
const DATA = process.env.PALIMPSEST_REAL_DATA ?? inRoot('..', 'shared', 'data');

/** Prints the output of nx, except for the lines of our reporter, which are summed. */
const runCounted = async (nxArguments) => {
  let total = { passed: 0, failed: 0, skipped: 0 };
  const onStart = (child) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const counts = countFrom(line);
      if (counts) total = addCounts(total, counts);
      else process.stdout.write(`${line}\n`);
    });
  };
  const code = await run('nx', nxArguments, { stdio: ['ignore', 'pipe', 'inherit'], onStart });
  return { code, total };
};

await runMain(async () => {
  if (real && !existsSync(DATA))
    throw new SetupError(
      `the real data is missing: ${DATA} does not exist (BEIR test sets and documents; set PALIMPSEST_REAL_DATA to use another folder)`,
    );
  await prepare();
  const target = suite === undefined ? 'test' : `test:${suite}`;
  const { code, total } = await runCounted([
    ...['run-many', '-t', target, '--outputStyle=static', ...(suite === undefined ? [] : ['--parallel=1', '--skip-nx-cache']), ...args],
    ...['--', '--reporters=default', `--reporters=${COUNTING_REPORTER}`],
  ]);
  // A project that died before jest could count is a failure too.
  const failed = code !== 0 && total.failed === 0 ? 1 : total.failed;
  if (total.skipped > 0) process.stdout.write(`${total.skipped} skipped\n`);
  process.stdout.write(`${total.passed} passed, ${failed} failed\n`);
  return failed > 0 ? 1 : 0;
});
