/** Builds every project with nx, unless no input of the build has changed since the last one. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SetupError, inRoot, run, say } from './workspace.mjs';

/** In node_modules, so that a fresh installation also builds again (from nx's cache where possible). */
const STAMP = inRoot('node_modules', '.palimpsest-build');
const SOURCES = ['apps', 'libs', 'tools/bundle', 'package-lock.json', 'tsconfig.base.json', 'nx.json'];
const NOT_SOURCES = new Set(['node_modules', 'dist', 'coverage']);

function* filesUnder(path) {
  if (!statSync(path).isDirectory()) return yield path;
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (NOT_SOURCES.has(entry.name) || entry.name.endsWith('.spec.ts')) continue;
    const inner = join(path, entry.name);
    if (entry.isDirectory()) yield* filesUnder(inner);
    else if (entry.isFile()) yield inner;
  }
}

/** Paths, sizes and times: a file that was touched is built again, and nx then decides by content. */
const sourcesDigest = () => {
  const digest = createHash('sha256');
  for (const source of SOURCES)
    for (const file of filesUnder(inRoot(source))) {
      const { size, mtimeMs } = statSync(file);
      digest.update(`${file} ${size} ${mtimeMs}\n`);
    }
  return digest.digest('hex');
};

const hasOutputs = () => ['platform', 'cli', 'console'].every((app) => existsSync(inRoot('apps', app, 'dist')));
/** The output of a build is shown only if it fails. */
const runQuietly = async (command, args) => {
  const parts = [];
  const onStart = (child) => {
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => parts.push(part));
  };
  const code = await run(command, args, { stdio: ['ignore', 'pipe', 'pipe'], onStart });
  return { code, printed: Buffer.concat(parts).toString() };
};

const lastBuilt = () => (existsSync(STAMP) ? readFileSync(STAMP, 'utf8') : '');

/** @throws SetupError when a project does not build */
export const buildProjects = async () => {
  const digest = sourcesDigest();
  if (lastBuilt() === digest && hasOutputs()) return say('build is up to date');
  say('building (up to a minute the first time)');
  const { code, printed } = await runQuietly('nx', ['run-many', '-t', 'build', '--outputStyle=static']);
  if (code !== 0) {
    process.stderr.write(printed);
    throw new SetupError('the build failed; its messages are above');
  }
  writeFileSync(STAMP, digest);
  return say('built');
};
