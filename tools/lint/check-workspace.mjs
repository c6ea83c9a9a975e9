/**
 * `npm run lint`: lints every file in one process (with one TypeScript program for all projects: separate ones would read all
 * imports again), and runs the checks that need all projects. Prints one line per finding; exit code 1 if there are any.
 */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createProjectGraphAsync } from '@nx/devkit';
import { ESLint } from 'eslint';
import { checkBoundaries } from './check-boundaries.mjs';
import { checkCycles } from './check-cycles.mjs';

const root = resolve(fileURLToPath(new URL('../..', import.meta.url)));
process.chdir(root);

const lintFiles = async () => {
  const results = await new ESLint({ cwd: root }).lintFiles(['apps', 'libs', 'e2e', 'tools', '*.mjs']);
  console.error(`lint: ${results.length} files`);
  return results.flatMap(({ filePath, messages }) =>
    messages.map(({ line, message, ruleId }) => `${filePath}:${line} ${message} (${ruleId})`),
  );
};

// The boundary rule reads the project graph from nx's cache, which this call fills.
await createProjectGraphAsync({ exitOnError: false });
const findings = [...checkCycles(root), ...(await lintFiles()), ...(await checkBoundaries(root))];
for (const finding of findings) console.error(finding);
console.error(
  findings.length === 0 ? 'workspace: no import cycles; every forbidden import is refused' : `workspace: ${findings.length} findings`,
);
process.exitCode = findings.length === 0 ? 0 : 1;
