import { ConnectionError, ProblemError } from '@palimpsest/client';

/**
 * 0: success. 1: partial failure, or a check that found something: `verify` differences, `eval compare` or `swap evaluate` a side that is worse,
 * `fleet watch` a fleet that stopped, `replay` a search that does not answer as it did. 2: the command
 * could not run (usage, connection, refusal). 3: a comparison or an evaluation is undecided. 130: interrupted.
 */
export const EXIT = { ok: 0, someFailed: 1, notRun: 2, undecided: 3, interrupted: 130 } as const;

/** Wrong use of the command line. The message says what is expected. */
export class UsageError extends Error {}

/** The user pressed Ctrl-C, or the process was asked to end. */
export class Interrupted extends Error {}

/** The error as one line for the user. */
export const describeFailure = (error: unknown): string => {
  if (error instanceof ConnectionError)
    return error.cause instanceof UsageError ? error.cause.message : `${error.message}: start one with \`palimpsest start\``;
  if (error instanceof ProblemError) return describeProblem(error);
  if (error instanceof Interrupted) return 'interrupted; accepted documents are kept, run the same command again to continue';
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
};

const describeProblem = (problem: ProblemError): string => {
  if (problem.status === 401)
    return `the server at ${problem.url ?? 'this address'} does not accept the API key: use --api-key or PALIMPSEST_API_KEY. If the key is from keys/local-api-key in the data folder, that file is damaged or belongs to another server. A restart of the platform writes a new one`;
  return problem.code.startsWith('Http') ? `${problem.detail} (status ${problem.status})` : `${problem.detail} (${problem.code})`;
};

export const exitCodeFor = (error: unknown): number => (error instanceof Interrupted ? EXIT.interrupted : EXIT.notRun);
