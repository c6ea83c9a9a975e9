import { SYSTEM } from '@palimpsest/foundation';
import { Conflict, Unavailable } from '@palimpsest/knowledge/errors';
import { tenantId, vectorScope } from '@palimpsest/knowledge/values';
import { EvaluationRuns, type EvaluationWork } from './evaluation-runs.ts';

const RED = { tenant: tenantId('acme'), scope: vectorScope('team:red') };
const BLUE = { ...RED, scope: vectorScope('team:blue') };
const OTHER = { ...RED, tenant: tenantId('other') };

/** Work that ends when the test says so. */
const held = () => {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let given: EvaluationWork | undefined;
  const work = (run: EvaluationWork): Promise<string> => {
    given = run;
    run.signal.addEventListener('abort', () => reject(run.signal.reason));
    return promise;
  };
  return { work, resolve, reject, progress: (done: number, total: number) => given?.progress(done, total) };
};
const someRuns = () => {
  let second = 0;
  return new EvaluationRuns(SYSTEM.ids, () => `2026-01-01T00:00:0${second++}.000Z`);
};

describe('the evaluations of a process', () => {
  it('show their progress, and how the last one of a scope ended', async () => {
    const [runs, first] = [someRuns(), held()];
    expect(runs.of(RED)).toBeUndefined();
    const { status, ended } = runs.start(RED, first.work);
    expect(runs.of(RED)).toEqual({ run: status.run, state: 'evaluating', by: 'person', startedAt: '2026-01-01T00:00:00.000Z' });
    first.progress(3, 40);
    expect(runs.of(RED)).toMatchObject({ state: 'evaluating', queries: { done: 3, total: 40 } });
    expect([runs.of(BLUE), runs.of(OTHER)]).toEqual([undefined, undefined]);
    first.resolve('done');
    expect(await ended).toBe('done');
    expect(runs.of(RED)).toMatchObject({ state: 'complete', endedAt: '2026-01-01T00:00:01.000Z', queries: { done: 3 } });
    const second = held();
    const again = runs.start(RED, second.work);
    expect(again.status.run).not.toBe(status.run);
    second.reject(new Unavailable('the endpoint is away'));
    await expect(again.ended).rejects.toThrow(Unavailable);
    expect(runs.of(RED)).toMatchObject({ run: again.status.run, state: 'failed', reason: 'the endpoint is away' });
  });

  it('hide what an unexpected error says', async () => {
    const runs = someRuns();
    await expect(runs.start(RED, () => Promise.reject(new TypeError('a secret'))).ended).rejects.toThrow('a secret');
    expect(runs.of(RED)?.reason).toBe('an unexpected error, which the log of the process describes');
  });

  it('run once at a time for a scope and for a tenant', async () => {
    const [runs, first, other] = [someRuns(), held(), held()];
    const { ended } = runs.start(RED, first.work);
    const start = (scope: typeof RED) => () => runs.start(scope, other.work);
    expect(start(RED)).toThrow('scope "team:red" is being evaluated since 2026-01-01T00:00:00.000Z; ask again when it has ended');
    first.progress(1, 2);
    expect(start(RED)).toThrow('1 of 2 queries so far');
    expect(start(BLUE)).toThrow(new Conflict('an evaluation of this tenant is running; ask again when it has ended'));
    const { ended: ofOther } = runs.start(OTHER, other.work);
    first.resolve('');
    other.resolve('');
    await Promise.all([ended, ofOther]);
    expect(start(BLUE)).not.toThrow();
  });

  it('of a gate are never refused, and refuse only those of the same scope', async () => {
    const [runs, gate, person] = [someRuns(), held(), held()];
    const { signal } = new AbortController();
    const ofGate = runs.ofPlatform(RED, signal, gate.work);
    expect(runs.of(RED)).toMatchObject({ state: 'evaluating', by: 'platform' });
    expect(() => runs.start(RED, person.work)).toThrow(Conflict);
    const { ended } = runs.start(BLUE, person.work);
    const alongside = held();
    const second = runs.ofPlatform(BLUE, signal, alongside.work);
    alongside.progress(5, 6);
    for (const each of [gate, person, alongside]) each.resolve('');
    await Promise.all([ofGate, ended, second]);
    expect(runs.of(BLUE)).toMatchObject({ by: 'person', state: 'complete' });
    expect(runs.of(BLUE)).not.toHaveProperty('queries');
  });

  it('end with the process, and are not shown as running afterwards', async () => {
    const [runs, first, gate, worker] = [someRuns(), held(), held(), new AbortController()];
    const ended = Promise.allSettled([runs.start(RED, first.work).ended]);
    const ofGate = Promise.allSettled([runs.ofPlatform(OTHER, worker.signal, gate.work)]);
    await runs.stop();
    expect(await ended).toEqual([{ status: 'rejected', reason: new Unavailable('the process that evaluated ended') }]);
    expect(runs.of(RED)).toMatchObject({ state: 'failed', reason: 'the process that evaluated ended' });
    expect(runs.of(OTHER)).toMatchObject({ state: 'evaluating' });
    worker.abort(new Unavailable('the worker stops'));
    expect(await ofGate).toMatchObject([{ status: 'rejected' }]);
    expect(runs.of(OTHER)).toMatchObject({ state: 'failed', reason: 'the worker stops' });
  });
});
