/** Runs the main part of a tool on the pinned Node version: in this process if it is that version or newer, otherwise in a child. */
import { existsSync } from 'node:fs';
import { PINNED_NODE, SetupError, run, runMain } from '../setup/workspace.mjs';

const isNewEnough = () => {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major > 24 || (major === 24 && minor >= 9);
};

/** `load` imports what needs the new Node, and returns a function that returns the exit code. */
export const runOnPinnedNode = (load) =>
  runMain(async () => {
    if (isNewEnough()) return (await load())();
    if (!existsSync(PINNED_NODE)) throw new SetupError('the dependencies are missing: run `npm run setup` first');
    return run(PINNED_NODE, process.argv.slice(1));
  });
