import type { Command } from 'commander';
import type { Session } from './session.ts';

/** What a command does with its options and arguments (as commander hands them over); it answers the exit code. */
export type Work<Options, Args extends readonly unknown[]> = (session: Session, options: Options, ...args: Args) => Promise<number>;

/** Makes work into an action of commander. */
export type AsAction = <Options, Args extends readonly unknown[]>(work: Work<Options, Args>) => (...given: unknown[]) => Promise<void>;

/** Adds one command, or one with commands below it, to the program. */
export type AddCommand = (program: Command, asAction: AsAction) => void;
