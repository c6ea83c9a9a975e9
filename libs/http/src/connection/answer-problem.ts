import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Problem } from '../problems/problem.ts';
import { requestIdOf } from '../request-id.ts';

/** Responds with a problem to a request that does not reach any route. */
export const answerProblem = (
  request: IncomingMessage,
  response: ServerResponse,
  problem: Problem,
  headers: readonly string[] = [],
  then?: () => void,
): void => {
  const body = JSON.stringify(problem);
  const all = [
    'content-type',
    'application/problem+json',
    'content-length',
    String(Buffer.byteLength(body)),
    'x-request-id',
    requestIdOf(request),
    ...headers,
  ];
  response.writeHead(problem.status, all).end(body, then);
};
