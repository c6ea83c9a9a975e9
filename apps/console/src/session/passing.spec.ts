import { ConnectionError, ProblemError } from '@palimpsest/client';
import { retryDelayOf } from './passing.ts';

const problem = (status: number): ProblemError => new ProblemError({ status, code: 'Any' });

describe('a page that received an error', () => {
  it('retries automatically when the error may be temporary', () => {
    for (const error of [new ConnectionError('http://here'), problem(503), problem(429)]) expect(retryDelayOf(error)).toBeGreaterThan(0);
  });
  it('does not retry when the request was refused, when something broke, or without an error', () => {
    for (const error of [problem(400), problem(401), problem(404), problem(500), new Error('broken'), null])
      expect(retryDelayOf(error)).toBe(false);
  });
});
