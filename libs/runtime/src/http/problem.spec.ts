import { Conflict, Corrupt, EmbeddingModelMismatch, Forbidden, InvalidValue, NotCaughtUp, NotFound, Overloaded, QuotaExceeded, RateLimited, ServerAway, Unavailable } from '@palimpsest/knowledge';
import { PartlyDone } from './http-errors.ts';
import { problemOf } from './problem.ts';

describe('A fault as the caller sees it', () => {
  it('has the status of its kind, a stable code, and says what went wrong', () => {
    const faults = [new NotFound('document', 'd1'), new Forbidden('no'), new Conflict('moved'), new EmbeddingModelMismatch('a', ['b']), new Unavailable('gone'), new NotCaughtUp('late')];
    expect(faults.map((fault) => [problemOf(fault).status, problemOf(fault).code])).toEqual([
      [404, 'NotFound'], [403, 'Forbidden'], [409, 'Conflict'], [409, 'EmbeddingModelMismatch'], [503, 'Unavailable'], [503, 'NotCaughtUp'],
    ]);
    expect(problemOf(faults[0])).toMatchObject({ type: 'urn:palimpsest:problem:NotFound', detail: 'no document "d1"' });
  });
  it('names the field of wrong input and what was expected of it', () =>
    expect(problemOf(new InvalidValue('topK', 'a whole number from 1 to 100', 0))).toMatchObject({ status: 400, field: 'topK', expected: 'a whole number from 1 to 100' }));
  it('says what was done of a request before it went wrong', () =>
    expect(problemOf(new PartlyDone(new InvalidValue('file', 'at most 2 files', 'more'), { documents: [{ documentId: 'd1' }] }))).toMatchObject({ status: 400, field: 'file', documents: [{ documentId: 'd1' }] }));
  it('says when to come again', () => {
    expect(problemOf(new Overloaded('full', 7))).toMatchObject({ status: 429, retryAfterSeconds: 7 });
    expect(problemOf(new RateLimited('slow down', 3))).toMatchObject({ status: 429, code: 'RateLimited', retryAfterSeconds: 3 });
    expect(problemOf(new Unavailable('gone')).retryAfterSeconds).toBeGreaterThan(0);
  });
  it('does not name servers, streams or files where something is not available, unless it was written for callers', () => {
    for (const fault of [new Unavailable('no answer from 10.0.0.7: palimpsest/document-acme-1'), new ServerAway('no answer from 10.0.0.7')]) {
      const told = problemOf(fault);
      expect(told).toMatchObject({ status: 503, code: 'Unavailable', detail: expect.stringMatching(/^[A-Z].* Try again .*\.$/), retryAfterSeconds: expect.any(Number) });
      expect(JSON.stringify(told)).not.toMatch(/10\.0\.0\.7|palimpsest\/|acme/);
    }
    expect(problemOf(new Unavailable('the read models are being rebuilt', { forCallers: true })).detail).toBe('the read models are being rebuilt');
  });
  it('names the quota that is used up, and when it is not any more, where that is known', () => {
    const quota = { limit: 'documents', allowed: 5, used: 5, tier: 'free' } as const;
    const told = problemOf(new QuotaExceeded(quota, 'one more is asked for'));
    expect(told).toMatchObject({ status: 403, code: 'QuotaExceeded', quota, detail: 'the tier "free" allows 5 documents; 5 are used, and one more is asked for' });
    expect(told.retryAfterSeconds).toBeUndefined();
    expect(problemOf(new QuotaExceeded({ limit: 'retrievalsPerDay', allowed: 5, used: 5 }, 'one more is asked for', 60)).retryAfterSeconds).toBe(60);
  });
  it('keeps back what we did not foresee: its message may hold contents', () => {
    for (const [fault, code] of [[new Error('secret text'), 'Internal'], [new Corrupt('secret text'), 'Corrupt'], ['secret text', 'Internal'], [undefined, 'Internal'], [null, 'Internal']] as const) {
      const told = problemOf(fault);
      expect(told).toMatchObject({ status: 500, code });
      expect(JSON.stringify(told)).not.toContain('secret');
    }
  });
  it('tells what the framework refused in our own words', () => {
    expect(problemOf({ statusCode: 413, message: 'too big' })).toMatchObject({ status: 413, code: 'TooLarge' });
    expect(problemOf({ getStatus: () => 404, message: 'Cannot GET /x' })).toMatchObject({ status: 404, code: 'NotFound' });
    expect(problemOf({ statusCode: 400, message: 'Body is not valid JSON' })).toMatchObject({ status: 400, code: 'InvalidValue', field: 'body' });
    expect(problemOf({ statusCode: 502, message: 'secret' })).toMatchObject({ status: 500, code: 'Internal' });
  });
});
