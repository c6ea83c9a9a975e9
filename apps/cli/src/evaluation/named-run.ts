import { resolve } from 'node:path';
import { explanationsFile, explanationsFrom } from './explanations.ts';
import type { Explanations } from './explanations.ts';
import { plainOrGzip, readLines } from './text-lines.ts';
import { runFrom } from './trec-run.ts';
import type { Run } from './trec-run.ts';

/** A run, the file that it was read from, and its explanations if there are any next to it. */
export type NamedRun = Readonly<{ file: string; run: Run; explanations?: Explanations }>;

/** @throws UsageError that names the file, and the invalid line */
export const readRun = async (cwd: string, file: string): Promise<NamedRun> => {
  const run = runFrom(await readLines(resolve(cwd, file), file));
  const name = explanationsFile(file);
  const explained = plainOrGzip(resolve(cwd, name));
  if (explained === undefined) return { file, run };
  const lines = await readLines(explained, explained.endsWith('.gz') ? `${name}.gz` : name);
  return { file, run, explanations: explanationsFrom(lines, { file, run }) };
};
