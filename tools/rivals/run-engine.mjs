/** Runs one engine in a process of its own. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const ONE_THREAD = Object.fromEntries(
  ['OMP', 'OPENBLAS', 'MKL', 'NUMBA', 'RAYON'].map((name) => [`${name}_NUM_THREADS`, '1']).concat([['LANCE_CPU_THREADS', '1'], ['TOKIO_WORKER_THREADS', '1']]), // prettier-ignore
);

/**
 * @param name an engine of `engines.py`
 * @param own an engine of `own-engines.mjs` instead
 * @param folder with the texts, vectors and queries
 * @param python the interpreter with the packages of `requirements.txt`
 * @returns what the process printed: { build, times, cpuMs, peakMb, found }
 */
export const runEngine = ({ name, own }, folder, python) => {
  const [program, args] = own
    ? [process.execPath, ['--conditions=@palimpsest/source', here('own-engines.mjs'), folder, own]]
    : [python, [here('engines.py'), folder, name]];
  const env = { ...process.env, ...ONE_THREAD, PYTHONDONTWRITEBYTECODE: '1' };
  const { status, stdout, stderr } = spawnSync(program, args, { env, encoding: 'utf8', maxBuffer: 2 ** 30 });
  if (status !== 0) throw new Error(`${name}: ${stderr.trim().split('\n').at(-1) || `exit code ${status}`}`);
  return JSON.parse(stdout.trim().split('\n').at(-1));
};

export const quantile = (numbers, q) => [...numbers].sort((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(q * numbers.length))];
export const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
export const printRow = (cells) => console.log(`| ${cells.join(' | ')} |`);
