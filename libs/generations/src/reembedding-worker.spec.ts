import { EmbeddingModelMismatch, ModelChanged, ServerAway, Unavailable } from '@palimpsest/knowledge/errors';
import { PermanentFailure, ScopeKeyDestroyed, type Delivery, type MessageBus } from '@palimpsest/knowledge/ports';
import type { BuildGeneration } from './build-generation.ts';
import type { PauseSwaps } from './pause-swaps.ts';
import { ReembeddingWorker } from './reembedding-worker.ts';
import type { Run } from './run.ts';

const SCOPE = { tenant: 'acme', scope: 'deployment', correlationId: 'request-1' };
const RANGE = { ...SCOPE, generation: 'g2', range: 7 };

/** A worker whose re-embedding fails with these errors in turn, then succeeds. */
const aWorker = async (...failures: Error[]) => {
  let deliver: ((deliveries: readonly Delivery[]) => Promise<void>) | undefined;
  const bus = {
    consume: async (_options: unknown, handle: (deliveries: readonly Delivery[]) => Promise<void>) => {
      deliver = handle;
      return { stop: async () => undefined };
    },
  } as unknown as MessageBus;
  const calls: unknown[] = [];
  const faults: unknown[] = [];
  const pauses: unknown[] = [];
  const work =
    (name: string) =>
    async ({ scope }: Run, ...given: unknown[]): Promise<void> => {
      calls.push([name, scope, ...given]);
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
    };
  const build = { range: work('range'), whole: work('whole'), document: work('document') } as unknown as BuildGeneration;
  const swaps = {
    byPlatform: async (_run: Run, reason: string, generation: unknown) => {
      pauses.push([reason, generation]);
      return generation !== 'g9';
    },
  } as unknown as PauseSwaps;
  await new ReembeddingWorker({ bus, build, swaps, concurrency: 2, onFault: (error) => void faults.push(error) }).start();
  const delivery = (body: unknown, attempt: number): Delivery =>
    ({ body: JSON.stringify(body), key: 'k', attempt, signal: new AbortController().signal }) as unknown as Delivery;
  return {
    calls,
    faults,
    pauses,
    deliver: (body: unknown = RANGE, attempt = 1): Promise<void> =>
      deliver?.([delivery(body, attempt)]) ?? Promise.reject(new Error('the worker does not consume')),
  };
};

describe('the re-embedding worker', () => {
  it('does the work of each kind of message, among them those of earlier versions', async () => {
    const { calls, deliver } = await aWorker();
    const documentId = '0'.repeat(32);
    for (const body of [RANGE, SCOPE, { ...SCOPE, documentId }]) await deliver(body);
    const scope = { tenant: 'acme', scope: 'deployment' };
    expect(calls).toEqual([
      ['range', scope, 'g2', 7],
      ['whole', scope],
      ['document', scope, documentId],
    ]);
  });

  it('waits while a server is unavailable, and then continues with the same message', async () => {
    const { calls, faults, pauses, deliver } = await aWorker(
      new ServerAway('no answer from the log'),
      new ServerAway('no answer from Qdrant'),
    );
    await deliver();
    expect([calls.length, faults.length, pauses.length]).toEqual([3, 2, 0]);
  });

  it('leaves other errors to the retries of the bus, and pauses the swap after six in a row', async () => {
    const { pauses, deliver } = await aWorker(...Array.from({ length: 6 }, () => new Unavailable('server-7 failed')));
    for (let attempt = 1; attempt <= 5; attempt++) await expect(deliver(RANGE, attempt)).rejects.toThrow(Unavailable);
    expect(pauses).toEqual([]);
    await deliver(RANGE, 6);
    // Tenants see the reason: it names no server.
    expect(pauses).toEqual([['the model or a store failed 6 times in a row', 'g2']]);
  });

  it('repeats in the reason what may be said to callers', async () => {
    const { pauses, deliver } = await aWorker(
      ...Array.from({ length: 6 }, () => new Unavailable('not called until noon', { forCallers: true })),
    );
    for (let attempt = 1; attempt <= 5; attempt++) await expect(deliver(RANGE, attempt)).rejects.toThrow(Unavailable);
    await deliver(RANGE, 6);
    expect(pauses).toEqual([['the model or a store failed 6 times in a row: not called until noon', 'g2']]);
  });

  it('does not count failures before a success', async () => {
    const failed = (): Error => new Unavailable('server-7 failed');
    const { pauses, deliver } = await aWorker(failed(), failed(), failed(), failed(), failed());
    for (let attempt = 1; attempt <= 5; attempt++) await expect(deliver(RANGE, attempt)).rejects.toThrow(Unavailable);
    await deliver(RANGE, 6);
    expect(pauses).toEqual([]);
  });

  it('pauses the swap at once if its model is missing or returns other dimensions', async () => {
    const { pauses, deliver } = await aWorker(new EmbeddingModelMismatch('a:b/1', ['a:b/2']));
    await deliver();
    expect(pauses).toEqual([[expect.stringMatching('a:b/1 is required'), 'g2']]);
  });

  it('pauses the swap at once if its model changed under its name, with what to do', async () => {
    const { pauses, deliver } = await aWorker(new ModelChanged('a:b/1', 'the vectors differ'));
    await deliver();
    expect(pauses).toEqual([
      [expect.stringMatching(/^the model a:b\/1 changed under its name: the vectors differ\. .* and resume, or cancel/), 'g2'],
    ]);
  });

  it('pauses the swap at once if its scope was erased', async () => {
    const erased = new ScopeKeyDestroyed('the key of the scope was destroyed');
    const { pauses, deliver } = await aWorker(erased, erased);
    await deliver();
    expect(pauses).toEqual([['the scope was erased: cancel the swap', 'g2']]);
    await expect(deliver({ ...SCOPE, documentId: '0'.repeat(32) })).rejects.toThrow(PermanentFailure);
  });

  it('dead-letters messages that no retry can help', async () => {
    const mismatch = (): Error => new EmbeddingModelMismatch('a:b/1', []);
    const { deliver, pauses } = await aWorker(mismatch(), mismatch(), new Unavailable('failed'));
    await expect(deliver({ ...RANGE, generation: 'g9' })).rejects.toThrow(PermanentFailure);
    await expect(deliver({ ...SCOPE, documentId: '0'.repeat(32) })).rejects.toThrow(PermanentFailure);
    await expect(deliver({ ...SCOPE, documentId: '0'.repeat(32) }, 10)).rejects.toThrow(PermanentFailure);
    await expect(deliver({ scope: 'deployment' })).rejects.toThrow(PermanentFailure);
    await expect(deliver({ ...RANGE, range: 256 })).rejects.toThrow(PermanentFailure);
    expect(pauses).toHaveLength(1);
  });
});
