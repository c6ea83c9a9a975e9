import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** Starts a test server of `tools/` and waits until it prints `ready <address>`. (The helper of the test kit needs Jest.) */
export const startTestServer = async (tool, args) => {
  const child = spawn(process.execPath, [fileURLToPath(new URL(`../../${tool}/main.mjs`, import.meta.url)), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const kill = () => child.kill('SIGKILL');
  process.on('exit', kill);
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.startsWith('ready ')) continue;
    const stop = async () => {
      process.off('exit', kill);
      child.kill('SIGTERM');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
    };
    return { address: line.slice('ready '.length), stop };
  }
  throw new Error(`${tool} exited before it was ready`);
};
