import { ConnectionError, ProblemError } from '@palimpsest/client';

/** 0: all fine. 1: it ran, and some of it failed. 2: it could not run (usage, connection, refusal). 130: interrupted. */
export const EXIT = { ok: 0, someFailed: 1, notRun: 2, interrupted: 130 } as const;

/** Wrong use of the command line; the message says what would be right. */
export class UsageError extends Error {}

/** The user pressed Ctrl-C, or the process was asked to end. */
export class Interrupted extends Error {}

/** One line for the user. */
export const describeFailure = (error: unknown): string => {
  if (error instanceof ConnectionError) return error.cause instanceof UsageError ? error.cause.message : `${error.message}: start one with \`palimpsest start\``;
  if (error instanceof ProblemError) return describeProblem(error);
  if (error instanceof Interrupted) return 'interrupted; what was accepted is kept, the same command goes on from there';
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
};

const describeProblem = (problem: ProblemError): string => {
  if (problem.status === 401) return `the server at ${problem.url ?? 'this address'} does not accept the API key: use --api-key or PALIMPSEST_API_KEY. If the key is from keys/local-api-key in the data folder, that file is damaged or of another server; a restart of the platform writes a new one`;
  return problem.code.startsWith('Http') ? `${problem.detail} (status ${problem.status})` : `${problem.detail} (${problem.code})`;
};

export const exitCodeFor = (error: unknown): number => (error instanceof Interrupted ? EXIT.interrupted : EXIT.notRun);
