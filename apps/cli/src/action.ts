import type { Command } from 'commander';
import type { Session } from './session.ts';

/** The work of a command with its options and arguments, in the order of commander. Returns the exit code. */
export type Work<Options, Args extends readonly unknown[]> = (session: Session, options: Options, ...args: Args) => Promise<number>;

/** Converts the work of a command into an action of commander. */
export type AsAction = <Options, Args extends readonly unknown[]>(work: Work<Options, Args>) => (...given: unknown[]) => Promise<void>;

/** Adds a command, which may have subcommands, to the program. */
export type AddCommand = (program: Command, asAction: AsAction) => void;
