import { CommanderError } from 'commander';
import { EXIT, UsageError, describeFailure, exitCodeFor } from './failure.ts';
import { buildProgram } from './program.ts';
import type { Surroundings } from './session.ts';

/** Runs one command line (without the program's name) and returns its exit code. Never throws. */
export const runCli = async (args: readonly string[], surroundings: Surroundings): Promise<number> => {
  const outcome = { exitCode: EXIT.ok as number };
  const { stderr, config } = surroundings;
  try {
    await buildProgram(surroundings, (code) => (outcome.exitCode = code)).parseAsync(args, { from: 'user' });
    return outcome.exitCode;
  } catch (error) {
    // Commander has already printed its own message (or the help).
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.notRun;
    stderr.write(`palimpsest: ${describeFailure(error)}\n`);
    if (config.debug && error instanceof Error && !(error instanceof UsageError)) stderr.write(`${error.stack}\n`);
    return exitCodeFor(error);
  }
};
