/**
 * `npm run lint`: every file, in one process (one TypeScript program for all projects: each of them alone would read all that it
 * imports again), and what no single project can see. Ends with exit code 1 and a line per finding.
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
  const results = await new ESLint({ cwd: root }).lintFiles(['apps', 'libs', 'tools', '*.mjs']);
  console.error(`lint: ${results.length} files`);
  return results.flatMap(({ filePath, messages }) =>
    messages.map(({ line, message, ruleId }) => `${filePath}:${line} ${message} (${ruleId})`),
  );
};

// The boundary rule reads the project graph out of nx's cache, where this puts it.
await createProjectGraphAsync({ exitOnError: false });
const findings = [...checkCycles(root), ...(await lintFiles()), ...(await checkBoundaries(root))];
for (const finding of findings) console.error(finding);
console.error(
  findings.length === 0 ? 'workspace: no import cycles; every forbidden import is refused' : `workspace: ${findings.length} findings`,
);
process.exitCode = findings.length === 0 ? 0 : 1;
