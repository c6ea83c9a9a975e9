import * as access from '@palimpsest/knowledge/access';
import * as errors from '@palimpsest/knowledge/errors';
import * as ports from '@palimpsest/knowledge/ports';
import {
  Conflict,
  Corrupt,
  EmbeddingModelMismatch,
  Forbidden,
  InvalidValue,
  KnowledgeError,
  NotCaughtUp,
  NotFound,
  Overloaded,
  PartlyAccepted,
  QuotaExceeded,
  RateLimited,
  ServerAway,
  StoreRefused,
  Unavailable,
} from '@palimpsest/knowledge/errors';
import { PartlyDone } from './http-errors.ts';
import { problemOf } from './problem.ts';

type ErrorClass = new (message: string) => KnowledgeError;
/** Also the classes that are added later: they must be hidden, or their messages written for callers. */
const isErrorClass = (made: unknown): made is ErrorClass => typeof made === 'function' && made.prototype instanceof KnowledgeError;

describe('An error as the caller sees it', () => {
  it('has the status of its kind, a stable code and a message', () => {
    const faults = [
      new NotFound('document', 'd1'),
      new Forbidden('no'),
      new Conflict('moved'),
      new EmbeddingModelMismatch('a', ['b']),
      new Unavailable('gone'),
      new NotCaughtUp('late'),
    ];
    expect(faults.map((fault) => [problemOf(fault).status, problemOf(fault).code])).toEqual([
      [404, 'NotFound'],
      [403, 'Forbidden'],
      [409, 'Conflict'],
      [409, 'EmbeddingModelMismatch'],
      [503, 'Unavailable'],
      [503, 'NotCaughtUp'],
    ]);
    expect(problemOf(faults[0])).toMatchObject({ type: 'urn:palimpsest:problem:NotFound', detail: 'document "d1" not found' });
  });
  it('names the invalid field and the expected value', () =>
    expect(problemOf(new InvalidValue('topK', 'a whole number from 1 to 100', 0))).toMatchObject({
      status: 400,
      field: 'topK',
      expected: 'a whole number from 1 to 100',
    }));
  it('lists the part of the request that was completed before the error', () =>
    expect(
      problemOf(new PartlyDone(new InvalidValue('file', 'at most 2 files', 'more'), { documents: [{ documentId: 'd1' }] })),
    ).toMatchObject({ status: 400, field: 'file', documents: [{ documentId: 'd1' }] }));
  it('says when to retry', () => {
    expect(problemOf(new Overloaded('full', 7))).toMatchObject({ status: 429, retryAfterSeconds: 7 });
    expect(problemOf(new RateLimited('slow down', 3))).toMatchObject({ status: 429, code: 'RateLimited', retryAfterSeconds: 3 });
    expect(problemOf(new Unavailable('gone')).retryAfterSeconds).toBeGreaterThan(0);
  });
  it('is a server error if a store refuses its credentials, and does not repeat the message of the store', () => {
    const problem = problemOf(new StoreRefused('EventStoreDB, appending to palimpsest/document-acme-1: access denied'));
    expect(problem).toMatchObject({ status: 500, code: 'Internal' });
    expect(JSON.stringify(problem)).not.toMatch(/EventStoreDB|palimpsest\/|acme|denied/);
  });
  it('says in a sentence that a store refused, and that a retry does not help', () => {
    const { detail, retryAfterSeconds } = problemOf(new StoreRefused('no right to append'));
    expect([detail, retryAfterSeconds]).toEqual([
      expect.stringMatching(/^[A-Z][^:]* refused [^:]*\. Retrying does not help\. .*\.$/),
      undefined,
    ]);
  });
  it('names nothing internal, whichever error of the platform it is, unless its message is written for callers', () => {
    const internal = 'no answer from es-1.internal:2113 (10.0.0.7) for palimpsest/document-acme-1';
    /** Their messages only repeat what the caller sent or may know. */
    const forCallers = [
      'InvalidValue',
      'NotFound',
      'Conflict',
      'Forbidden',
      'Overloaded',
      'HistoryRemoved',
      'NotCaughtUp',
      'RateLimited',
      'QuotaExceeded',
      'EmbeddingModelMismatch',
      'ModelChanged',
      'ScopeKeyDestroyed',
    ];
    const classes = Object.entries({ ...errors, ...ports, ...access }).flatMap(([name, made]) =>
      isErrorClass(made) && !forCallers.includes(name) ? [[name, made] as const] : [],
    );
    expect(classes.map(([name]) => name).sort()).toEqual([
      'Corrupt',
      'IsolationBreach',
      'PartlyAccepted',
      'ServerAway',
      'StoreRefused',
      'Unavailable',
    ]);
    for (const [name, Made] of classes) {
      const fault = name === 'PartlyAccepted' ? new PartlyAccepted(new ServerAway(internal), []) : new Made(internal);
      const status = { StoreRefused: 500, Corrupt: 500, IsolationBreach: 500 }[name] ?? 503;
      expect([name, problemOf(fault).status, problemOf(new PartlyDone(fault, {})).status]).toEqual([name, status, status]);
      for (const shown of [problemOf(fault), problemOf(new PartlyDone(fault, {}))])
        expect(JSON.stringify(shown)).not.toMatch(/internal|:2113|10\.0\.0|palimpsest\/|acme/);
    }
  });
  it('does not name servers, streams or files of an unavailable service, unless the message is for callers', () => {
    for (const fault of [
      new Unavailable('no answer from 10.0.0.7: palimpsest/document-acme-1'),
      new ServerAway('no answer from 10.0.0.7'),
    ]) {
      const shown = problemOf(fault);
      expect(shown).toMatchObject({
        status: 503,
        code: 'Unavailable',
        detail: expect.stringMatching(/^[A-Z].* Try again .*\.$/),
        retryAfterSeconds: expect.any(Number),
      });
      expect(JSON.stringify(shown)).not.toMatch(/10\.0\.0\.7|palimpsest\/|acme/);
    }
    expect(problemOf(new Unavailable('the read models are being rebuilt', { forCallers: true })).detail).toBe(
      'the read models are being rebuilt',
    );
  });
  it('names the reached quota, and when it resets if that is known', () => {
    const quota = { limit: 'documents', allowed: 5, used: 5, tier: 'free' } as const;
    const shown = problemOf(new QuotaExceeded(quota, '1 more requested'));
    expect(shown).toMatchObject({
      status: 403,
      code: 'QuotaExceeded',
      quota,
      detail: 'the tier "free" allows 5 documents: 5 used, 1 more requested',
    });
    expect(shown.retryAfterSeconds).toBeUndefined();
    expect(problemOf(new QuotaExceeded({ limit: 'retrievalsPerDay', allowed: 5, used: 5 }, '1 more requested', 60)).retryAfterSeconds).toBe(
      60,
    );
  });
  it('hides messages of unexpected errors, which may contain contents', () => {
    for (const [fault, code] of [
      [new Error('secret text'), 'Internal'],
      [new Corrupt('secret text'), 'Corrupt'],
      ['secret text', 'Internal'],
      [undefined, 'Internal'],
      [null, 'Internal'],
    ] as const) {
      const shown = problemOf(fault);
      expect(shown).toMatchObject({ status: 500, code });
      expect(JSON.stringify(shown)).not.toContain('secret');
    }
  });
  it('reports errors of the framework with our own codes', () => {
    expect(problemOf({ statusCode: 413, message: 'too big' })).toMatchObject({ status: 413, code: 'TooLarge' });
    expect(problemOf({ getStatus: () => 404, message: 'Cannot GET /x' })).toMatchObject({ status: 404, code: 'NotFound' });
    expect(problemOf({ statusCode: 400, message: 'Body is not valid JSON' })).toMatchObject({
      status: 400,
      code: 'InvalidValue',
      field: 'body',
    });
    expect(problemOf({ statusCode: 502, message: 'secret' })).toMatchObject({ status: 500, code: 'Internal' });
  });
});
