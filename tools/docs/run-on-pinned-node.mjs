/** A tool's main part, on the Node that the project pins: in this process when it is that Node or a newer one, else in a child. */
import { existsSync } from 'node:fs';
import { PINNED_NODE, SetupError, run, runMain } from '../setup/workspace.mjs';

const isNewEnough = () => {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major > 24 || (major === 24 && minor >= 9);
};

/** `load` imports what needs the new Node, and answers a function that answers the exit code. */
export const runOnPinnedNode = (load) =>
  runMain(async () => {
    if (isNewEnough()) return (await load())();
    if (!existsSync(PINNED_NODE)) throw new SetupError('the dependencies are missing: run `npm run setup` first');
    return run(PINNED_NODE, process.argv.slice(1));
  });
