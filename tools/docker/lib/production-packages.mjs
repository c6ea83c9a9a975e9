/** The folders that the apps load at run time: their workspaces and packages, and their dependencies, as Node resolves them. */
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const manifestOf = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/** Searches from the folder of the importing package up to the root, like Node. */
const find = (name, from, root) => {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name);
    if (existsSync(join(candidate, 'package.json'))) return candidate;
    if (folder === root) return undefined;
  }
};

/** @throws Error naming a dependency that is not installed */
const dependenciesOf = (folder, root) => {
  // Without peers: imported packages are a dependency of some other package, and the rest would be TypeScript and the like.
  const { dependencies = {}, optionalDependencies = {} } = manifestOf(folder);
  return Object.keys({ ...dependencies, ...optionalDependencies }).flatMap((name) => {
    const found = find(name, folder, root);
    if (found) return [found];
    if (name in optionalDependencies) return [];
    throw new Error(`${relative(root, folder)} needs ${name}, which is not installed`);
  });
};

/**
 * @param {string} root of the repository
 * @param {readonly string[]} apps folders below it
 * @returns {{ workspaces: string[], packages: string[], links: Map<string, string> }} all relative to the root; a link maps the place of a
 * workspace in node_modules to the workspace
 */
export const productionPackages = (root, apps) => {
  const workspaces = new Set();
  const packages = new Set();
  const links = new Map();
  const visit = (folder) => {
    const real = realpathSync(folder);
    const path = relative(root, real);
    const seen = path.startsWith('node_modules') || path.includes('/node_modules/') ? packages : workspaces;
    if (real !== folder) links.set(relative(root, folder), path);
    if (seen.has(path)) return;
    seen.add(path);
    for (const dependency of dependenciesOf(real, root)) visit(dependency);
  };
  for (const app of apps) visit(join(root, app));
  return { workspaces: [...workspaces].sort(), packages: [...packages].sort(), links };
};
