/** Checks the machine's own Node and npm before anything is installed. */
import { execFileSync } from 'node:child_process';
import { SetupError, systemEnvironment } from './workspace.mjs';

export const MINIMUM = { node: [20, 0], npm: [10, 0] };

const parts = (version) => version.split('.').map(Number);
const isBelow = ([major, minor], [wantedMajor, wantedMinor]) => major < wantedMajor || (major === wantedMajor && minor < wantedMinor);

/** @throws SetupError naming the installed and the required version */
export const requireVersion = (program, version) => {
  const wanted = MINIMUM[program];
  if (isBelow(parts(version), wanted)) throw new SetupError(`${program} ${version} is too old: ${wanted.join('.')} or newer is required`);
};

const ask = (program) => {
  try {
    const answer = execFileSync(program, ['--version'], {
      env: systemEnvironment(),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      shell: process.platform === 'win32',
    });
    return answer.trim().replace(/^v/, '');
  } catch {
    throw new SetupError(`${program} was not found: install Node ${MINIMUM.node.join('.')} or newer, which brings npm`);
  }
};

/** @throws SetupError */
export const checkRequirements = () => {
  const versions = { node: ask('node'), npm: ask('npm') };
  for (const [program, version] of Object.entries(versions)) requireVersion(program, version);
  return versions;
};
