import { EmbeddingModelMismatch, ServerAway, Unavailable } from '@palimpsest/knowledge/errors';
import { PermanentFailure, type Delivery, type MessageBus } from '@palimpsest/knowledge/ports';
import type { ReembedScope } from './reembed-scope.ts';
import { ReembeddingWorker } from './reembedding-worker.ts';

const WORK = { tenant: 'acme', scope: 'deployment', correlationId: 'request-1' };

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
  const work = async (...given: unknown[]): Promise<void> => {
    calls.push(given[0]);
    const failure = failures.shift();
    if (failure !== undefined) throw failure;
  };
  await new ReembeddingWorker(bus, { work, workOn: work } as unknown as ReembedScope, (error) => void faults.push(error)).start();
  const delivery = (body: unknown): Delivery =>
    ({ body: JSON.stringify(body), attempt: 1, signal: new AbortController().signal }) as unknown as Delivery;
  return {
    calls,
    faults,
    deliver: (body: unknown = WORK): Promise<void> =>
      deliver?.([delivery(body)]) ?? Promise.reject(new Error('the worker does not consume')),
  };
};

describe('the re-embedding worker', () => {
  it('waits while a server is unavailable, and then continues with the same message', async () => {
    const { calls, faults, deliver } = await aWorker(new ServerAway('no answer from the log'), new ServerAway('no answer from Qdrant'));
    await deliver();
    expect(calls).toEqual([
      { tenant: 'acme', scope: 'deployment' },
      { tenant: 'acme', scope: 'deployment' },
      { tenant: 'acme', scope: 'deployment' },
    ]);
    expect(faults).toHaveLength(2);
  });

  it('leaves other errors to the retries of the bus', async () => {
    const { calls, deliver } = await aWorker(new Unavailable('this request failed'));
    await expect(deliver()).rejects.toThrow(Unavailable);
    expect(calls).toHaveLength(1);
  });

  it('dead-letters messages that no retry can help', async () => {
    const { deliver } = await aWorker(new EmbeddingModelMismatch('a:b/1', []));
    await expect(deliver()).rejects.toThrow(PermanentFailure);
    await expect(deliver({ scope: 'deployment' })).rejects.toThrow(PermanentFailure);
  });
});
