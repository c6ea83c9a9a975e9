import { ConnectionError, ProblemError } from '@palimpsest/client';
import { askAgainAfter } from './passing.ts';

const problem = (status: number): ProblemError => new ProblemError({ status, code: 'Any' });

describe('a page that got an error', () => {
  it('asks again by itself when the trouble may pass', () => {
    for (const error of [new ConnectionError('http://here'), problem(503), problem(429)]) expect(askAgainAfter(error)).toBeGreaterThan(0);
  });
  it('does not when it was refused, when something broke, or when there was none', () => {
    for (const error of [problem(400), problem(401), problem(404), problem(500), new Error('broken'), null]) expect(askAgainAfter(error)).toBe(false);
  });
});
