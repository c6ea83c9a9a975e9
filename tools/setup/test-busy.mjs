/**
 * `npm run test:busy`: every test of `npm test`, five times in a row next to two processes that never rest (`-- --rounds 2 --loops 4`): no test may
 * depend on speed. Prints one line per round, and the output of a round that fails.
 */
import { spawn, spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { inRoot } from './workspace.mjs';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '5' }, loops: { type: 'string', default: '2' } } });
const loops = Array.from({ length: Number(values.loops) }, () => spawn(process.execPath, ['-e', 'for (;;) {}'], { stdio: 'ignore' }));
const endLoops = () => loops.forEach((loop) => loop.kill('SIGKILL'));
process.once('exit', endLoops);
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

let failures = 0;
for (let round = 1; round <= Number(values.rounds); round++) {
  const began = performance.now();
  const run = spawnSync(process.execPath, [inRoot('tools/setup/test.mjs'), '--skip-nx-cache'], {
    encoding: 'utf8',
    maxBuffer: Infinity,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const isGood = run.status === 0;
  if (!isGood) process.stdout.write(run.stdout);
  const result = run.stdout.trimEnd().split('\n').at(-1);
  console.log(`round ${round}: ${result}, after ${((performance.now() - began) / 1000).toFixed(0)} s`);
  if (!isGood) failures += 1;
}
process.exit(failures === 0 ? 0 : 1);
