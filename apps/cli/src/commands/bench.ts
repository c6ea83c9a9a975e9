import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { AddCommand } from '../action.ts';
import { EXIT, UsageError } from '../failure.ts';
import type { Session } from '../session.ts';

/** The benchmarks of the clone that contains this file. */
const FOLDER = fileURLToPath(new URL('../../../../tools/bench/', import.meta.url));

export const addBench: AddCommand = (program, asAction) => {
  program
    .command('bench')
    .description('Run a benchmark of this clone. Without a name, list the benchmarks. docs/benchmarks.md explains the figures.')
    .argument('[name]', 'the benchmark')
    .argument('[options...]', 'options for the benchmark, after "--"')
    .action(asAction((session: Session, _: unknown, name?: string, given: readonly string[] = []) => bench(session, FOLDER, name, given)));
};

/** Returns the exit code of the benchmark. @throws UsageError when there are no benchmarks, or none of that name */
export const bench = async (
  { output, signal, config }: Session,
  folder: string,
  name: string | undefined,
  given: readonly string[],
): Promise<number> => {
  if (!existsSync(folder)) throw new UsageError('the benchmarks are part of a clone of the repository, not of an installation');
  const names = readdirSync(folder)
    .filter((file) => file.endsWith('.mjs'))
    .map((file) => file.slice(0, -'.mjs'.length))
    .sort();
  if (name === undefined) {
    const benchmarks = names.map((each) => ({ name: each, measures: firstSentence(readFileSync(join(folder, `${each}.mjs`), 'utf8')) }));
    output.result({ benchmarks }, () => benchmarks.forEach(({ name: each, measures }) => output.line(`${each.padEnd(12)} ${measures}`)));
    return EXIT.ok;
  }
  if (!names.includes(name)) throw new UsageError(`unknown benchmark "${name}": must be one of ${names.join(', ')}`);
  const child = spawn(process.execPath, [join(folder, `${name}.mjs`), ...given], {
    cwd: join(folder, '..', '..'),
    env: config.environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  signal.addEventListener('abort', () => child.kill('SIGTERM'));
  createInterface({ input: child.stdout }).on('line', (line) => output.line(line));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? EXIT.someFailed));
  });
};

/** The first sentence of the comment at the top of a benchmark. */
const firstSentence = (source: string): string => {
  const comment = /^\/\*\*\n([^]*?)\*\//.exec(source)?.[1] ?? '';
  return (
    /^[^]*?[.?:](?=\s)/.exec(
      comment
        .replaceAll(/^ \* ?/gm, '')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    )?.[0] ?? ''
  ).replace(/:$/, '.');
};
