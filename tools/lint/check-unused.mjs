/**
 * `npm run check:unused`: unused files, exports and dependencies, and undeclared dependencies, as knip finds
 * them with `knip.json`. The root declares the version of every package that a workspace uses; such a name counts as used there.
 */
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { inRoot, PINNED_NODE } from '../setup/workspace.mjs';

const KINDS = ['files', 'dependencies', 'unlisted', 'binaries', 'unresolved', 'duplicates', 'exports', 'types'];

const manifest = (path) => JSON.parse(readFileSync(inRoot(path), 'utf8'));
const declaredIn = ({ dependencies = {}, devDependencies = {} }) => ({ ...dependencies, ...devDependencies });
const workspaces = manifest('package.json')
  .workspaces.flatMap((folder) => globSync(`${folder}/package.json`, { cwd: inRoot() }))
  .map((path) => declaredIn(manifest(path)));
const root = declaredIn(manifest('package.json'));
const isPinnedForAWorkspace = (name) => workspaces.some((declared) => declared[name] === root[name]);

/** Programs in npm scripts and in settings of other tools, which knip does not read. */
const RUN_BY_NAME = new Set(['nx', 'prettier', 'jest-environment-node']);

const { stdout, stderr, error } = spawnSync(
  PINNED_NODE,
  [
    inRoot('node_modules/knip/bin/knip.js'),
    '--no-progress',
    '--no-config-hints',
    '--no-exit-code',
    '--reporter',
    'json',
    '--include',
    KINDS.join(),
  ],
  { cwd: inRoot(), encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
);
if (error || stdout.trim() === '') throw new Error(`knip did not run: ${error?.message ?? stderr}`);

const isFinding = (file, kind, name) =>
  file !== 'package.json' || !/ependencies$/.test(kind) || !(isPinnedForAWorkspace(name) || RUN_BY_NAME.has(name));
const findings = JSON.parse(stdout).issues.flatMap(({ file, ...kinds }) =>
  Object.entries(kinds).flatMap(([kind, issues]) =>
    Array.isArray(issues)
      ? issues
          .flat()
          .filter(({ name }) => isFinding(file, kind, name))
          .map(({ name }) => `${file}: ${kind}: ${name}`)
      : [],
  ),
);
for (const finding of findings) process.stderr.write(`${finding}\n`);
process.stderr.write(
  findings.length === 0
    ? 'unused: every file, export and dependency is used, and every dependency is declared\n'
    : `unused: ${findings.length} findings\n`,
);
process.exitCode = findings.length === 0 ? 0 : 1;
