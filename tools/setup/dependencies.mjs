/** Updates node_modules if it does not match package-lock.json. */
import { existsSync, readFileSync } from 'node:fs';
import { checkRequirements } from './requirements.mjs';
import { PINNED_NODE, SetupError, inRoot, run, say, systemEnvironment } from './workspace.mjs';

const packagesIn = (lockFile) => JSON.parse(readFileSync(lockFile, 'utf8')).packages;

/**
 * npm records what it has installed in node_modules/.package-lock.json, as its last step. Comparing that with the
 * project's lock also detects an interrupted installation. Optional packages may be missing (other platforms).
 */
export const missingPackages = (wanted, installed) =>
  Object.entries(wanted)
    .filter(([path, { optional }]) => path.startsWith('node_modules/') && !optional)
    // A workspace is a link without a version.
    .filter(([path, { link, version, integrity }]) =>
      link ? !existsSync(inRoot(path)) : installed[path]?.version !== version || installed[path]?.integrity !== integrity,
    )
    .map(([path]) => path);

const upToDate = () => {
  const installedLock = inRoot('node_modules', '.package-lock.json');
  if (!existsSync(PINNED_NODE) || !existsSync(installedLock)) return false;
  return missingPackages(packagesIn(inRoot('package-lock.json')), packagesIn(installedLock)).length === 0;
};

/** The packages whose install scripts may run: only `node` (its binary) and those like it in package.json's allowScripts. */
const allowedScripts = () => {
  const { allowScripts } = JSON.parse(readFileSync(inRoot('package.json'), 'utf8'));
  return Object.keys(allowScripts).filter((name) => allowScripts[name]);
};

const npm = async (...args) => {
  const quiet = ['--no-audit', '--no-fund', '--no-progress', '--no-update-notifier', '--loglevel=error'];
  const code = await run('npm', [...args, ...quiet], { env: systemEnvironment(), stdio: ['ignore', process.stderr, process.stderr] });
  if (code !== 0) throw new SetupError(`npm ${args[0]} exited with code ${code}; its message is above`);
};

/** @throws SetupError when npm fails or the machine does not meet the requirements */
export const installDependencies = async () => {
  if (upToDate()) return say('dependencies are up to date');
  const versions = checkRequirements();
  say(`Node ${versions.node}, npm ${versions.npm}; installing dependencies (about a minute)`);
  // In two steps, so that an npm too old to know `allowScripts` runs no other package's script either.
  await npm('ci', '--ignore-scripts');
  await npm('rebuild', ...allowedScripts());
  if (!existsSync(PINNED_NODE)) throw new SetupError(`the pinned Node is missing after the installation: ${PINNED_NODE}`);
  return say('dependencies are installed');
};
