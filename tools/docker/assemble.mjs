/**
 * `node tools/docker/assemble.mjs <folder>`: assembles the content of the image from a built clone. The Dockerfile calls it. The
 * result can also be inspected, or run as a service, without a container engine.
 */
import { cpSync, existsSync, globSync, mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { productionPackages } from './lib/production-packages.mjs';

const ROOT = realpathSync(fileURLToPath(new URL('../..', import.meta.url)));

const APPS = ['apps/ingestion', 'apps/reembedding', 'apps/query', 'apps/platform', 'apps/cli'];
/** In addition to the code: the default model, the containers' scripts, and the samples that the embedded platform loads. */
const OTHERS = ['models/all-minilm-l6-v2-int8', 'docker/image', 'docs', 'CONTRIBUTING.md', 'SECURITY.md', 'LICENSE'];

/** Types and maps are only for builds; Node never reads them. */
const FOR_BUILDING = /\.(?:d\.[cm]?ts|[cm]?ts|map|tsbuildinfo)$/;
/** onnxruntime-node contains its library for every system. */
const isForeignBinary = (path) => {
  const [, system, processor] = /\/onnxruntime-node\/bin\/napi-v\d+\/(\w+)(?:\/(\w+))?/.exec(path) ?? [];
  return (system !== undefined && system !== process.platform) || (processor !== undefined && processor !== process.arch);
};

const copy = (path, target, filter = () => true) => {
  cpSync(join(ROOT, path), join(target, path), {
    recursive: true,
    verbatimSymlinks: true,
    filter: (source) => filter(relative(ROOT, source)),
  });
};

const assemble = (target) => {
  const { workspaces, packages, links } = productionPackages(ROOT, APPS);
  for (const workspace of workspaces) {
    if (!existsSync(join(ROOT, workspace, 'dist'))) throw new Error(`${workspace} is not built: run \`npm run build\``);
    for (const part of ['package.json', 'dist', 'bin'])
      if (existsSync(join(ROOT, workspace, part))) copy(join(workspace, part), target, (path) => !FOR_BUILDING.test(path));
  }
  // A package inside another's node_modules has its own entry in the list if it is needed.
  for (const path of packages)
    copy(path, target, (inner) => !inner.startsWith(`${path}/node_modules`) && !FOR_BUILDING.test(inner) && !isForeignBinary(`/${inner}`));
  for (const [link, workspace] of links) {
    mkdirSync(dirname(join(target, link)), { recursive: true });
    symlinkSync(relative(dirname(link), workspace), join(target, link));
  }
  for (const other of OTHERS) copy(other, target);
  return { workspaces: workspaces.length, packages: packages.length, files: globSync('**/*', { cwd: target }).length };
};

const [folder] = process.argv.slice(2);
if (!folder) {
  process.stderr.write('usage: node tools/docker/assemble.mjs <new folder>\n');
  process.exitCode = 2;
} else if (existsSync(folder)) {
  process.stderr.write(`${folder} already exists: choose another folder\n`);
  process.exitCode = 2;
} else {
  const { workspaces, packages, files } = assemble(resolve(folder));
  process.stdout.write(`${folder}: ${workspaces} workspaces, ${packages} packages, ${files} files\n`);
}
